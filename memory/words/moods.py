"""Mood by the class of the word that governs: who vouches for a clause, and whether it is told as done.

Lemmas of English verbs, adjectives and nouns, by what they say of the clause beneath them. The classes are those of the
grammar books (verbs of saying and thinking, of wishing and planning, of pretending, of failing; factive verbs, which
take for granted what they embed) rather than phrases somebody once said.
"""

from __future__ import annotations

from memory.words.vocabulary import JOBS, KIN, words

FACTIVE = words(
    "know realise realize discover notice see find learn remember recall forget prove show confirm celebrate regret "
    "mean love like hate enjoy appreciate understand ensure check watch help make let thank congratulate want need"
)
"""Verbs of others whose content clause is so, or which are themselves what happened; all others report."""

CLASSING = words(
    "call describe label brand portray depict paint accuse suspect regard treat peg cast mistake consider diagnose "
    "nickname declare dub deem believe rumour rumor allege repute"
)
"""Verbs by which others say what somebody is: calls me a hoarder, accused Tom of theft."""

SAYING = words(
    "say tell claim mention reckon think believe insist swear announce suggest suspect assume allege argue declare "
    "predict warn whisper boast brag imply hint estimate joke"
)
"""Verbs of others under which the parser may lose what is said."""

VIEWS = words(
    "theory idea opinion belief view claim rumour rumor gossip story guess impression version verdict prediction "
    "conviction suspicion hunch word notion assumption accusation allegation myth legend talk joke excuse fear hope "
    "line dream prophecy horoscope"
)
"""Nouns whose content is somebody's view, not what is so: Tom's theory is that ..."""

VIEWING = words("convinced certain sure adamant positive persuaded suspicious afraid worried scared hopeful")
"""Adjectives of others before what they take for so."""

WEIGHING = words(
    "consider contemplate ponder debate weigh mull toy flirt wonder fancy eye wish long yearn ache crave itch "
    "fantasize ought "
    "fantasise daydream dream imagine pretend suppose picture doubt incline tempt envision visualise visualize"
)
"""The speaker's own verbs under which nothing is done, nor decided."""

WEIGHING_PHRASES = words(
    "think:of think:about look:into look:at flirt:with feel:like dream:of dream:about mean:to keep:meaning get:round"
)
"""The same, where the word after the verb makes it so."""

URGES = words("mind urge temptation notion thought fancy inkling inclination itch desire")
"""Nouns one has without doing: half a mind to quit."""

ASIDE = words("fail miss refuse decline reject dodge avoid escape neglect hesitate")
"""Verbs that tell what did not come about: missed being born there."""

MEANT = words("go plan intend mean hope suppose set think wish schedule consider expect")
"""Verbs that in the past tell what was meant to be, and as a rule was not: was going to call."""

BARELY = words("almost nearly practically virtually basically technically")
"""Adverbs that take back what they stand before: as good as is not so."""

GENERIC = words(
    "people everybody everyone anybody anyone nobody somebody someone one whoever whatever folk folks those humans men "
    "women kids person adults parents they most many some who"
)
"""Subjects that stand for all and nobody."""

NO_ALLERGENS = words(
    "morning monday sunday week work people exercise housework effort commitment meeting responsibility stupidity "
    "maths deadline cardio ironing cleaning cooking homework paperwork boss job life fun money love talk noise mess"
)
"""What one can only be allergic, or addicted, to in jest."""

MET = words(
    "issue problem error trouble difficulty obstacle challenge goal target deadline requirement need expectation "
    "criterion standard demand condition bug limit"
)
"""What one runs into or meets that is nobody."""

PERSONS = (
    frozenset(KIN)
    | JOBS
    | words(
        "man woman guy girl boy lady gentleman person bloke fella lad lass chap cousin relative ex stranger local "
        "german frenchman englishman dutchman irishman american italian spaniard pole turk dane swede widow widower "
        "orphan sweetheart colleague classmate student professor prince princess duke baron millionaire priest vicar"
    )
)
"""Nouns of people: whom one may be married to."""
