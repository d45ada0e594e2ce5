"""Idioms: what is said in words that nobody means. Closed lists, English and German.

An idiom is listed where its words, believed as they stand, would be false: who is dead is alive. One that only says in
a figure what is so ("I'm under the weather") is not. `WHOLE` must be all that a clause says beside words of degree;
`WITHIN` may stand anywhere in it.
"""

from __future__ import annotations

import re

WHOLE = (
    "i'm dead", "i am dead", "i'm dying", "i am dying", "i'm dying here", "i died", "i nearly died", "we're dead",
    "i'm toast", "we're toast", "i'm done for", "i'm all ears", "i'm on fire", "i'm broken", "i'm in heaven",
    "i am in heaven", "i was in heaven", "i'm screaming", "i'm crying", "i'm deceased", "i can't feel my legs",
    "i can't even", "i can hear a pin drop", "my heart stopped", "my life is over", "i've lost it", "it's a jungle",
    "ich bin tot", "bin tot", "ich sterbe", "ich bin gestorben", "ich bin erledigt", "ich bin im himmel", "ich brenne",
    "ich bin ganz ohr", "ich kann nicht mehr", "ich dreh durch", "ich drehe durch", "mein herz blieb stehen",
)  # fmt: skip
WITHIN = (
    "killing me", "kills me", "the death of me", "lips are sealed", "over the moon", "on cloud nine", "on cloud 9",
    "in seventh heaven", "walking on air", "on top of the world", "raining cats and dogs", "an arm and a leg",
    "pulling my leg", "cat out of the bag", "spilled the beans", "spilt the beans", "kicked the bucket",
    "bit the bullet", "bite the bullet", "up the wall", "out of my mind", "lost my mind", "lost my marbles",
    "jumped out of my skin", "to death", "eat a horse", "could murder", "could kill", "going to kill", "gonna kill",
    "'ll kill", "will kill me", "want to kill", "wants to kill", "going to murder", "going to strangle", "'ll murder",
    "'ll strangle", "have him deported", "cold feet", "butterflies in my", "on pins and needles",
    "in the same boat", "piece of cake", "a kidney", "ears are burning", "hit the roof", "hit the sack",
    "went bananas", "gone bananas", "head over heels", "pigs fly", "hell freezes over", "bent over backwards",
    "candle at both ends", "up to my neck", "up to my eyeballs", "up to my ears", "drowning in", "dead on my feet",
    "running on fumes", "brain is fried", "brain is mush", "head is spinning", "head exploded", "steam out of",
    "blew my mind", "blows my mind", "ants in my pants", "frog in my throat", "skeletons in", "green thumb",
    "green fingers", "sold my soul", "sell my soul", "heart in my mouth", "on my last legs", "back to square one",
    "bringt mich um", "bringen mich um", "bringt mich noch um", "umbringen", "lippen sind versiegelt",
    "siebten himmel", "siebenten himmel", "wolke sieben", "schwein pfeift", "nur bahnhof", "daumen drücken",
    "drücke die daumen", "drück die daumen", "ins gras gebissen", "löffel abgegeben", "auf den keks",
    "auf den wecker", "auf den geist", "auf dem schlauch", "tomaten auf den augen", "schmetterlinge im bauch",
    "steppt der bär", "aus allen wolken", "katze aus dem sack", "zu tode", "platzt der kragen", "totgelacht",
    "tot gelacht", "vor lachen gestorben", "sterbe vor", "ich glaub ich spinne", "ich glaube ich spinne",
    "hals- und beinbruch", "kalte füße", "aus der haut fahren", "im dreieck springen", "rad ab", "auf der palme",
    "auf die palme", "um den verstand", "mit haut und haaren", "tanzt mir auf der nase", "auf der nase herum",
)  # fmt: skip

_DEGREE = re.compile(
    r"\b(?:so|just|really|totally|literally|absolutely|actually|basically|officially|honestly|completely|now|already|"
    r"lol|oh|god|man|again|echt|total|einfach|völlig|so was von|sowas von|schon|jetzt|gerade|wieder|fast|quasi)\b",
    re.IGNORECASE,
)
_WITHIN = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, WITHIN))})(?!\w)")
_WHOLE = frozenset(WHOLE)


def is_idiom(clause: str) -> bool:
    """Whether a clause says what it says only by an idiom, in either language."""
    folded = clause.lower().replace("’", "'")
    if _WITHIN.search(folded.replace(",", "")):
        return True
    bare = re.sub(r"[^\w'äöüß-]+", " ", _DEGREE.sub(" ", folded))
    return " ".join(bare.split()) in _WHOLE
