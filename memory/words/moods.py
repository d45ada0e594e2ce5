"""Mood by the class of the word that governs: who vouches for a clause, and whether it is told as done.

Lemmas of English verbs, adjectives and nouns, by what they say of the clause beneath them. The classes are those of the
grammar books (verbs of saying and thinking, of wishing and planning, of pretending, of failing; factive verbs, which
take for granted what they embed) rather than phrases somebody once said.
"""

from __future__ import annotations

from memory.words.vocabulary import JOBS, KIN, listed, words

FACTIVE = listed("factive")
"""Verbs of others whose content clause is so, or which are themselves what happened; all others report."""

CLASSING = listed("classing")
"""Verbs by which others say what somebody is: calls me a hoarder, accused Tom of theft."""

SAYING = listed("saying")
"""Verbs of others under which the parser may lose what is said."""

VIEWS = listed("views")
"""Nouns whose content is somebody's view, not what is so: Tom's theory is that ..."""

VIEWING = words("convinced certain sure adamant positive persuaded suspicious afraid worried scared hopeful")
"""Adjectives of others before what they take for so."""

WEIGHING = listed("weighing")
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

GENERIC = listed("generic")
"""Subjects that stand for all and nobody."""

NO_ALLERGENS = listed("no_allergens")
"""What one can only be allergic, or addicted, to in jest."""

MET = words(
    "issue problem error trouble difficulty obstacle challenge goal target deadline requirement need expectation "
    "criterion standard demand condition bug limit"
)
"""What one runs into or meets that is nobody."""

PERSONS = frozenset(KIN) | JOBS | listed("persons")
"""Nouns of people: whom one may be married to."""
