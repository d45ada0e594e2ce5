"""Commands: what somebody or something asks of a memory, in the imperative.

Every command carries `command_id`: the same id twice is the same command once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memory.model.changes import ChangeSet
from memory.model.claims import Claim, Sighting
from memory.model.groups import Group
from memory.model.profile import Profile
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant
from memory.model.verdicts import Judging


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Anything that may change what a user's memory holds."""

    command_id: str
    actor: str = "user"
    """Who asked: user, extraction, night, or the name of an agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetProfile(Command):
    """Say who the owner is and how they are called."""

    profile: Profile = field(default_factory=Profile)


@dataclass(frozen=True, slots=True)
class ReadSegment:
    """One segment revision whose reading is accepted; `source_id`, key, revision and time of its words.

    `words` are the first of them, for what is told of a promise in no claim; "" where nothing is to be told.
    """

    scope: str
    source_id: str
    segment_key: int
    revision: int
    at: Instant
    speaker: str
    role: str
    sensitivity: int
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptReading(Command):
    """Believe (or not) what an extractor read; `read` lists every segment revision that is thereby done."""

    read: tuple[ReadSegment, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    claims: tuple[Claim, ...] = ()
    withdrawn: tuple[int, ...] = ()
    """Keys of segments that were read before and are hidden now: what rested on them is taken back."""
    extractor: str = "rules"
    judging: Judging | None = None
    """Judgements made outside; None = the rules alone decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw(Command):
    """Take back what rests only on these segments, whose words have changed, are hidden or were deleted."""

    segment_keys: tuple[int, ...] = ()
    erase: bool = False
    """Forget for good: what loses its last support is erased with its words, not merely invalidated."""
    source_id: str | None = None
    """With `erase`: statements told with reference to this source lose that support, too."""
    once: tuple[str, ...] = ()
    """With `erase`: facts and entities that rested on these segments at some time, perhaps in earlier words."""
    taught: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """With `erase`: (entity id, digests of the words by which these segments meant it): the words are gone already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember(Command):
    """Believe explicit statements: all that one telling says, in their order."""

    claims: tuple[Claim, ...] = ()
    heard: ReadSegment | None = None
    """The words themselves, kept as a segment that can be found and cited; thereby it is read."""
    sightings: tuple[Sighting, ...] = ()
    """Promises that are seen in those words; without such a segment they are left."""
    source_id: str | None = None
    """Without such a segment: the source the statements refer to, and how private that is."""
    sensitivity: Sensitivity = Sensitivity.OPEN
    judging: Judging | None = None
    """Judgements made outside; None = the rules alone decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetRivals(Command):
    """Let facts that came without a vector, or whose judge failed, meet their rivals now (decision 0061, 9)."""

    fact_ids: tuple[str, ...] = ()
    judging: Judging | None = None
    """Judgements made outside; None = the rules alone decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectFact(Command):
    """Replace a fact that never was so by what is; it is invalidated, and superseded by that."""

    fact_id: str
    claim: Claim | None = None
    heard: ReadSegment | None = None
    """The words of the correction, kept as a segment that can be found and cited; thereby it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmFact(Command):
    """Protect a fact from decay, at full confidence (seed 004)."""

    fact_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetFact(Command):
    """Stop believing a fact and showing it; its history stays (seed 003)."""

    fact_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectFact(Command):
    """Keep a fact from fading, or let it fade again (seed 004). Unlike confirming it says nothing of how sure it is."""

    fact_id: str
    protected: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeFacts(Command):
    """Let duplicates be one fact (seed 003); what no longer stands or agrees by then is left alone."""

    clusters: tuple[tuple[str, ...], ...] = ()
    """Ids of facts that say the same; the first of each cluster stays."""


@dataclass(frozen=True, slots=True)
class MetaFact:
    """One general statement about facts that belong together, and the ids of these facts."""

    statement: str
    support: tuple[str, ...]
    judged_by: str
    """Who put it into words: the name of a language model, or `extractive`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesize(Command):
    """Believe general statements about facts that belong together (seed 003); the same support is the same fact."""

    meta_facts: tuple[MetaFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneFacts(Command):
    """Let go of facts that have faded (seed 003); one that has changed since it was chosen stays."""

    chosen: tuple[tuple[str, int], ...] = ()
    """(fact id, version)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillSubjects(Command):
    """Give facts that were kept under a placeholder the entity they are about (seed 003)."""

    placements: tuple[tuple[str, str], ...] = ()
    """(fact id, entity id)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameEntity(Command):
    """Give an entity another name; the old one becomes an alias."""

    entity_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAlias(Command):
    """Let another name mean this entity."""

    entity_id: str
    alias: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeEntities(Command):
    """Let two entities be one: `loser_id` is redirected to `winner_id`."""

    winner_id: str
    loser_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NameSpeaker(Command):
    """Let whoever spoke under a label be the person of this name, in whatever was read from their words, too."""

    label: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSpeaker(Command):
    """Let whoever spoke in these segments, taken for the person of a name until now, be who is called by the label."""

    name: str
    label: str
    segment_keys: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitEntity(Command):
    """Let some of what is taken for one entity be another of the same type: two Alexes, told apart by a qualifier."""

    entity_id: str
    qualifier: str = ""
    name: str | None = None
    """What the other one is called; by default the same. A name of the old one's aliases leaves it."""
    segment_keys: tuple[int, ...] = ()
    """Segments in which the other one is meant: their mentions move, and the facts that rest on them alone."""
    fact_ids: tuple[str, ...] = ()
    """Facts that move whatever they rest on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetypeEntity(Command):
    """Let an entity be of another type; its id, and what it was taken for, go on leading to it."""

    entity_id: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetEntity(Command):
    """Erase an entity, its mentions, its notes and every fact about it, words included."""

    entity_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteNote(Command):
    """Attach a remark to an entity or a fact."""

    about_id: str
    text: str
    lifetime: str = "month"
    author: str = "user"
    source_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EditNote(Command):
    """Change the words or the lifetime of a note; empty text removes it."""

    note_id: str
    text: str = ""
    lifetime: str | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """What is written of an entity, the ids of the facts it rests on, and what it quotes of notes."""

    entity_id: str
    text: str
    support: tuple[str, ...]
    notes: tuple[tuple[str, str], ...] = ()
    """(id, words) of the notes that it quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeEntities(Command):
    """Write anew what is told of entities; one whose facts no longer stand by then is left as it is (seed 002)."""

    descriptions: tuple[Description, ...] = ()


@dataclass(frozen=True, slots=True)
class ArrangedGroup:
    """A group as it is to stand, and the fingerprint of the row that this was decided on; None = it is new."""

    group: Group
    was: str | None = None
    read: tuple[tuple[int, int], ...] = ()
    """(segment key, revision) of what was read for its summary: other words by then, and it is not put."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrangeGroups(Command):
    """Put groups, and withdraw others; one that has changed since it was looked at is left for the next night."""

    arranged: tuple[ArrangedGroup, ...] = ()
    withdrawn: tuple[tuple[str, str], ...] = ()
    """(group id, fingerprint of the row that this was decided on)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCauses(Command):
    """Link facts with those that were told as their reason; a pair of which one is believed no more is left out."""

    pairs: tuple[tuple[str, str], ...] = ()
    """(id of the cause, id of its effect)."""
    judged_by: str = "rules"
    """Who found them: the words that were said, or the name of a language model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(Command):
    """Reverse an earlier command, given as the change set the journal holds of it."""

    done: ChangeSet | None = None
    partly: bool = False
    """Leave what has changed since, and name it in the outcomes, instead of refusing the whole."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """A threshold a fact, an entity, a source or a group has crossed overnight, or the end of a note's life."""

    noun: str
    id: str
    axis: str
    before: str
    after: str
    stamp: int | None = None
    """Of facts, entities and groups: what a census counted; a row that has moved since is left for the next night."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseNight(Command):
    """Record crossings a night has found; rows that changed since are skipped."""

    night: str
    step: str
    crossings: tuple[Crossing, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordAccess(Command):
    """Note what was recalled, a batch of questions at a time; what that strengthens is each decay law's affair."""

    accessed: tuple[tuple[str, int], ...] = ()
    """(id, how often) of facts, entities, storylines and macros."""
    sources: tuple[tuple[str, int, Instant], ...] = ()
    """(source id, how often, when it began) of sources of the user's own scope."""
