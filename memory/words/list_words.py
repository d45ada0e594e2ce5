"""The vocabulary of list questions: which predicates a verb or a class of things is told by, and what is of a class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from memory.model.ids import fold
from memory.words.stems import stem, tokenise
from memory.words.vocabulary import EVENT_NOUNS, words

_IRREGULAR = {
    form: verb
    for verb, forms in {
        "go": "went gone been", "buy": "bought", "see": "saw seen", "meet": "met", "make": "made", "get": "got gotten",
        "write": "wrote written", "draw": "drew drawn", "build": "built", "teach": "taught", "learn": "learnt",
        "have": "had has", "do": "did done does", "lose": "lost", "sell": "sold", "win": "won", "give": "gave given",
        "fly": "flew flown", "drive": "drove driven", "throw": "threw thrown", "know": "knew known",
        "take": "took taken", "eat": "ate eaten", "drink": "drank drunk", "swim": "swam swum", "run": "ran",
        "sing": "sang sung", "sleep": "slept", "find": "found", "say": "said", "tell": "told",
        "child": "children kid kids", "person": "people", "begin": "began begun", "family": "fam",
        "film": "movie movies", "send": "sent", "bring": "brought", "pay": "paid", "lend": "lent", "show": "shown",
        "speak": "spoke spoken", "ring": "rang rung", "break": "broke broken", "come": "came",
        "choose": "chose chosen", "catch": "caught", "spend": "spent", "wear": "wore worn", "wake": "woke woken",
        "fall": "fell fallen", "forget": "forgot forgotten", "hear": "heard", "keep": "kept", "grow": "grew grown",
        "ride": "rode ridden", "steal": "stole stolen", "become": "became", "lead": "led",
    }.items() for form in forms.split()
}  # fmt: skip


def forms_of(word: str) -> tuple[str, ...]:
    """An English word and those of its forms that another stem tells: buy, bought."""
    return (word, *(form for form, verb in _IRREGULAR.items() if verb == word))


def spellings(word: str) -> tuple[str, ...]:
    """All forms of a folded English word that another stem tells, in whichever it stands: broke, break, broken."""
    known = _IRREGULAR.get(word, word)
    return forms_of(known) if known in _IRREGULAR.values() else ()


@lru_cache(maxsize=16_384)
def root(word: str) -> str:
    """A word as questions and statements are compared by: its stem, irregular forms brought back."""
    known = fold(word).removesuffix("'s")
    return stem(_IRREGULAR.get(known, known) or word, "en")


@lru_cache(maxsize=4096)
def roots(text: str) -> frozenset[str]:
    """The roots of a statement."""
    return frozenset(root(word) for word, _ in tokenise(text))


def singular(noun: str) -> str:
    """A folded plural without its ending."""
    irregular = {"people": "person", "children": "child", "men": "man", "women": "woman", "hobbies": "hobby"}
    if noun in irregular:
        return irregular[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return noun if noun in ("movies", "series") else noun[:-3] + "y"
    for ending in ("ches", "shes", "xes", "sses"):
        if noun.endswith(ending):
            return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun


def _by_word(*rows: tuple[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for listed, predicates in rows:
        for word in listed.split():
            found[root(word)] = found.get(root(word), frozenset()) | words(predicates)
    return found


VERBS = _by_word(
    ("like love enjoy adore", "likes"),
    ("dislike hate detest loathe", "dislikes"),
    ("play", "plays played"),
    ("read", "reads read"),
    ("watch see", "watches watched"),
    ("go visit travel explore", "visited went attended"),
    ("attend participate partake compete perform", "attended visited joined"),
    ("join", "joined"),
    ("belong", "member_of joined"),
    ("volunteer", "volunteers_at"),
    ("buy purchase order get receive inherit", "acquired"),
    ("adopt", "acquired has_pet"),
    ("own have keep", "owns acquired has_pet"),
    ("use", "uses"),
    ("work", "works_on"),
    ("study learn take", "studies learns learned joined"),
    ("teach tutor mentor coach", "teaches taught"),
    ("make paint write cook bake build draw create design compose knit plant", "made"),
    ("meet know", "met knows"),
    ("talk speak chat", "talked_to met"),
    ("live", "lives_in"),
    ("start launch open found begin", "started"),
    ("finish complete pass win earn", "completed"),
    ("sell lose donate", "lost"),
    ("host organize organise", "hosts"),
    ("celebrate", "celebrates"),
    ("promise swear versprochen", "promises"),
)
"""By which predicates what somebody does is told."""
NEGATED = _by_word(("like love enjoy", "likes dislikes"), ("eat drink", "dislikes"))
"""What somebody does not do: told as liked with a no, or as disliked."""
STRICT = words("made started completed lost acquired hosts")
"""Predicates of verbs that mean different things: what was baked was not painted."""
GENERIC = words("have do be is are pursu")
"""Roots of verbs that say nothing about what is asked for."""


@dataclass(frozen=True, slots=True)
class Test:
    """How a class of things is told, and what is one.

    With `members` the class is closed, and things are told by any statement in which a member follows one of the
    `verbs` (roots). Without, they are the objects of `predicates`; with `named` only proper names,
    with `heads` those that hold one of these nouns.
    """

    predicates: frozenset[str]
    members: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()
    named: bool = False


_INSTRUMENTS = words(
    "accordion bagpipes banjo bass bassoon bongos cello clarinet cornet didgeridoo drum flute guitar harmonica harp "
    "harpsichord horn keyboard lute lyre mandolin oboe organ percussion piano piccolo recorder saxophone sitar "
    "tabla tambourine trombone trumpet tuba ukulele viola violin xylophone zither"
)
_SPORTS = words(
    "archery athletics badminton baseball basketball biking bouldering bowling boxing canoeing climbing cricket "
    "cycling dancing diving fencing football golf gymnastics handball hiking hockey judo karate kayaking kickboxing "
    "lacrosse mountaineering rowing rugby running sailing skateboarding skating skiing snowboarding soccer softball "
    "squash surfing swimming taekwondo tennis triathlon volleyball weightlifting wrestling yoga"
)
_PASTIMES = words(
    "astronomy baking birdwatching blogging calligraphy camping carpentry ceramics chess cooking crochet drawing "
    "embroidery fishing gardening geocaching jogging journaling juggling knitting meditation mosaics origami "
    "painting photography pottery puzzles quilting scrapbooking sculpting sewing singing stargazing sudoku "
    "travelling traveling walking weaving woodworking writing"
)
_LANGUAGES = words(
    "arabic bengali catalan chinese croatian czech danish dutch english esperanto finnish french german greek "
    "hebrew hindi hungarian irish italian japanese korean latin mandarin norwegian persian polish portuguese "
    "romanian russian spanish swahili swedish tamil thai turkish ukrainian urdu vietnamese welsh python rust "
    "typescript javascript java kotlin golang haskell ruby"
)
_COUNTRIES = words(
    "argentina australia austria bangladesh belgium brazil bulgaria cambodia canada chile china colombia croatia "
    "cuba cyprus denmark ecuador egypt england estonia ethiopia finland france germany ghana greece hungary iceland "
    "india indonesia iran iraq ireland israel italy jamaica japan jordan kenya korea laos latvia lebanon lithuania "
    "luxembourg malaysia malta mexico mongolia morocco nepal netherlands nigeria norway pakistan panama peru "
    "philippines poland portugal romania russia scotland serbia singapore slovakia slovenia spain sweden "
    "switzerland syria taiwan tanzania thailand tunisia turkey uganda ukraine uruguay usa venezuela vietnam wales "
    "zambia zimbabwe"
)


def _kinds(*rows: tuple[str, Test]) -> dict[str, Test]:
    return {noun: test for nouns, test in rows for noun in nouns.split()}


_DOING = frozenset(
    map(root, words("do go try love like enjoy adore start play learn join sign take fan practice keen"))
)
_BEING = frozenset(map(root, words("visit go travel fly drive explore trip tour vacation holiday live move")))
KINDS = _kinds(
    ("instrument", Test(words("plays played"), _INSTRUMENTS, frozenset(map(root, words("play learn practice"))))),
    ("sport", Test(words("plays played likes learns"), _SPORTS, _DOING)),
    ("hobby interest pastime activity", Test(words("likes plays learns"), _SPORTS | _PASTIMES, _DOING)),
    ("language", Test(words("learns studies"), _LANGUAGES, frozenset(map(root, words("speak learn study know"))))),
    ("country", Test(words("visited went lives_in"), _COUNTRIES, _BEING)),
    ("city town place where", Test(words("visited went attended lives_in moved_to"), named=True)),
    ("person who", Test(words("met knows talked_to"))),
    ("book novel", Test(words("reads read"))),
    ("movie film show series", Test(words("watches watched"))),
    ("pet animal", Test(words("has_pet"))),
    ("project", Test(words("works_on"))),
    ("tool", Test(words("uses"))),
    ("child kid", Test(words("has_child has_son has_daughter"))),
    ("sibling", Test(words("has_sister has_brother"))),
    ("promise", Test(words("promises"))),
    ("event", Test(words("attended visited celebrates hosts"), heads=EVENT_NOUNS)),
)
"""Classes of things a question may ask for, by the singular."""
