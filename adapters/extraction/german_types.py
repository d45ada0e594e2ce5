"""German predicates: by which words a clause tells where somebody lives and works, what they like, are, have ended."""

from __future__ import annotations

import re

from memory.words.german_times import GERMAN_DAYS, GERMAN_MONTHS, NUMBERS, in_english
from memory.words.predicates import HABIT, cued, habit_of

_I = re.IGNORECASE
_LARGE = r"(?-i:[A-ZÄÖÜ])[\w-]+\b"
_THING = r"(?P<object>[\wäöüßÄÖÜ-]+)"
_NO_PLACE = (
    r"(?!(?:zukunft|angst|not|armut|frieden|miete|untermiete|ruhe|trennung|scheidung|harmonie|sicherheit|wahrheit|"
    r"gefahr|hause|sünde|freiheit|quarantäne|ordnung|zeiten|sorgen?|luxus|isolation|einsamkeit|träumen|erinnerungen|hotels|zelten|"
    r"spaß|neugier|gewohnheit|langeweile|liebe|mitleid|versehen|trotz|prinzip)\b)"
)
_PLACE = rf"(?P<object>{_NO_PLACE}(?:(?:bad|sankt|new|san|los|las) )?{_LARGE})(?! (?-i:[A-ZÄÖÜ]))"
"""A town or a land by its name; in Toms Wohnung is none."""
_WITH_ARTICLE = (
    r"(?:der (?=schweiz|türkei|ukraine|slowakei|mongolei|pfalz|steiermark|toskana|bretagne|lausitz|eifel)|"
    r"den (?=usa|niederlanden)|dem (?=saarland|burgenland|wallis|aargau|tessin))?"
)
_TIMES = "|".join(
    (
        *GERMAN_DAYS,
        *GERMAN_MONTHS,
        "Frühling",
        "Frühjahr",
        "Sommer",
        "Herbst",
        "Winter",
        "Weihnachten",
        "Ostern",
        "Jahr",
        "Jahre",
        "Jahren",
        "Monat",
        "Monaten",
        "Woche",
        "Wochen",
        "Anfang",
        "Ende",
        "Mitte",
    )
)
_WHAT = rf"(?!(?:{_TIMES})\b){_LARGE}"
"""A thing, and no time: ich esse Montag Fisch."""
_OTHER = r"(?!(?:die|der|das|den|dem|dessen|deren|was|wo|wie|dass|weil|und|aber|oder|von|vom|ohne|an|über)\b)"
_BESIDES = (
    rf"(?>(?:(?:mit|bei|beim|neben|zur|zum|als) (?:\w+e[rmns]? )?{_LARGE}|"
    rf"in (?:de[rm]|\w*ein\w*|unser\w*) (?:[a-zäöüß]+ )?{_LARGE}(?: \d+\w?)?|"
    rf"(?:{_TIMES})|{_OTHER}(?-i:[a-zäöüß\d])[\w.]*) )*?"
)
"""What stands between a verb and a place: seit 2019, mit meiner Schwester, in einer WG. Each piece is read in one way
alone: in two, a row of them is read in two to the power of their number."""
_HOW = r"(?:(?:jetzt|inzwischen|mittlerweile|wieder|wirklich|total|sehr|auch|nur|so|gar|kein\w*) )*"
"""What stands between an attitude and what it is to."""
_LIKED = (
    rf"(?:(?:den|die|das|mein\w*|unser\w*|dein\w*|euer\w*|eure\w*) (?=(?-i:[A-ZÄÖÜ])))?"
    rf"(?!(?:es|das|sie|ihn|dich|euch|mich|uns|dass|nicht|gar|überhaupt|eigentlich|wie|wenn|am|auf|in|im|mit|zu|"
    rf"ein\w*|mein\w*|dein\w*|sein\w*|ihr\w*|unser\w*|dies\w*|jed\w*|an|ja|aber|schon|doch|den|die|der|dem)\b){_THING}"
)
"""A thing, and not what only points at one."""
_AGAIN = (
    r"(?:(?:nicht|nie|kein\w*|wieder|mehr|jetzt|noch|immer|gern|gerne|auch|nur|schon|strenge?r?|ein\w*|"
    rf"seit (?:\w+ )?(?:{_TIMES}|\d{{4}})|inzwischen|mittlerweile) )*"
)
"""What stands between a verb and what is eaten, drunk or played, and names no time and no single thing."""
_DIET = r"(?P<known>vegetari|vegan|pes[kc]etari)\w*\b(?! (?:essen|kochen|gegessen|gekocht))"
_STATUS = "verheiratet|geschieden|verwitwet|verlobt|ledig|single"
_IN_ENGLISH = {
    "vegetari": "vegetarian",
    "vegan": "vegan",
    "pesketari": "pescatarian",
    "pescetari": "pescatarian",
    "rauchen": "smoke",
    "trinken": "drink",
    "verheiratet": "married",
    "geschieden": "divorced",
    "verwitwet": "widowed",
    "verlobt": "engaged",
    "ledig": "single",
}
"""What is compared with words of an English list: diets by how their names begin, deeds, and who is married."""
_DATE = rf"(?P<date>\d{{1,2}}\. ?(?:{'|'.join(GERMAN_MONTHS)}|\d{{1,2}}\.))"
_NO_FIRM = (
    r"(?!(?:regen|wind|hitze|nacht|tageslicht|licht|kerzenlicht|schnee|kälte|geld|bedarf|gelegenheit|bewusstsein|"
    r"sonnenschein|essen|kost|frühstück)\b)"
)
_NAMED = (
    r"(?!(?:wie|nicht|so|mit|anders|immer|ja|doch|genauso|alle|alles|dich|euch|uns|mich|das|es|die|den|der|ein\w*)\b)"
    rf"(?P<object>\w+(?: {_LARGE})?)"
)
_PREDICATES = tuple(
    (re.compile(pattern, _I), row.name if (row := cued(cue)) is not None else cue)
    for pattern, cue in (
        (rf"\b(?:bin|ist|lebe|lebt|ernähr\w+ (?:mich|sich)) (?:seit \w+ \w+ )?{_AGAIN}{_DIET}", "be CONDITION"),
        (rf"\b(?:wohnen?|wohnt|wohn|leben?|lebt|leb) {_BESIDES}in {_WITH_ARTICLE}{_PLACE}", "live in"),
        (rf"\bnach {_PLACE} (?:um)?gezogen", "move to"),
        (
            rf"\b(?:aus|von) (?P<object>{_LARGE}) (?:weg|aus)gezogen|\b(?:habe|hab|hat) (?P<other>{_LARGE}) verlassen",
            "leave HOME",
        ),
        (
            rf"\b(?:kommen?|kommt|stamme?|stammt) (?:(?:ursprünglich|eigentlich|ja|auch) )*aus {_WITH_ARTICLE}{_PLACE}"
            r"(?=$|,| und (?:wohn|leb|bin|ist|arbeit)\w*)",
            "come from",
        ),
        (rf"\bin {_WITH_ARTICLE}{_PLACE} (?:geboren|aufgewachsen|groß geworden)", "come from"),
        (r"\b(?:mich|sich|uns)(?: von (?P<other>(?-i:[A-ZÄÖÜ])\w+))?(?: \w+)? getrennt", "part PAIR"),
        (
            rf"\b(?:bin|ist|sind) (?>(?-i:[a-zäöüß\d]+) |(?:{_TIMES}) )*?mit (?P<object>{_LARGE}) verheiratet$",
            "marry to",
        ),
        (
            rf"\b(?:bin|ist|sind) (?:frisch |glücklich )?{_AGAIN}(?:frisch |glücklich )?(?P<known>{_STATUS})$",
            "be STATUS",
        ),
        (r"\b(?P<known>rauchen|trinken)\b.* aufgehört|aufgehört,? zu (?P<ceased>rauchen|trinken)", "stop"),
        (
            rf"\b(?:habe|hab|hat) (?:(?-i:[a-zäöüß\d]+|Job|Stelle|Arbeit|{_TIMES}) )*?"
            rf"bei (?:de[rm] )?(?P<object>{_LARGE}) gekündigt$",
            "quit job",
        ),
        (rf"\b(?:esse|isst) (?!ein){_AGAIN}(?P<food>{_WHAT})", habit_of("eat")),
        (rf"\b(?:trinke|trinkt) (?!ein){_AGAIN}(?P<food>{_WHAT})", habit_of("drink")),
        (r"\b(?:rauche|raucht)(?: (?:nicht|nie|wieder|mehr|jetzt|noch|immer))*$", habit_of("smoke")),
        (rf"\b(?:gegen {_THING} allergisch|allergisch gegen (?P<other>\w+))", "be CONDITION"),
        (
            rf"\barbeite?[tn]? {_BESIDES}(?:bei|beim|für) (?:der |dem |die |den )?(?P<object>{_NO_FIRM}{_WHAT})",
            "work at",
        ),
        (rf"\b(?:bin|ist) {_THING} von beruf", "be JOB"),
        (rf"\b(?P<object>{_LARGE}) lieber als|\b(?<!mein )(?<!unser )(?<!hallo )lieber (?P<other>{_LARGE})", "prefer"),
        (rf"\b(?:mag|liebe|liebt) {_HOW}{_LIKED}", "like"),
        (rf"\b(?:hasse|hasst|verabscheue|verabscheut) {_HOW}{_LIKED}", "dislike"),
        (rf"\bkann {_HOW}{_LIKED} (?:\w+ )*?nicht (?:mehr )?(?:ausstehen|leiden)", "dislike"),
        (rf"\b(?:spiele|spielt) {_AGAIN}(?P<played>{_WHAT})(?!.* vor$)", "play"),
        (rf"\b(?:habe|hab|hat) (?:den |die |das |\w*(?:ein|mein|sein|ihr)\w* )?{_THING} (?:\w+ )?verkauft", "lose"),
        (rf"\b(?:habe|hab|hat) (?:[a-zäöüß]+ )*?am {_DATE}(?: [a-zäöüß]+)? Geburtstag$", "be BIRTHDAY"),
        (rf"\bam {_DATE} (?:habe ich|hat {_LARGE})(?: [a-zäöüß]+)? Geburtstag$", "be BIRTHDAY"),
        (rf"\bGeburtstag (?:ist|habe ich|hat {_LARGE}) am {_DATE}$", "be BIRTHDAY"),
        (
            rf"\b(?:bin|ist) (?:(?:jetzt|schon|erst|gerade|nun) )*(?:(?P<age>1[01]\d|\d{{1,2}})(?: Jahre? alt)?|"
            rf"(?P<years>{'|'.join(NUMBERS)}) Jahre? alt)$",
            "be AGE",
        ),
        (r"\bversprech\w*|\bversprochen", "promise"),
        (rf"\bheißt (?:(?:jetzt|auch|übrigens|eigentlich) )*(?:(?:Frau|Herr) )?{_NAMED}", "be NAMED"),
        (r"\b(?:jede[nsr]?|täglich|immer|meistens) ", HABIT),
    )
)
"""Patterns, each with a cue of the predicate that it tells; a habit has none."""


_OWN = re.compile(r"\bich\b", _I)
_ANOTHERS = re.compile(
    r"(?:wohnt|lebt|arbeitet|isst|trinkt|spielt|liebt|hasst|verabscheut|kommt|stammt|raucht|ist|hat)\b", _I
)
"""Verbs of somebody else beside "ich": what they tell is not the speaker's."""


def typed(clause: str) -> tuple[str | None, str | None]:
    """The predicate a clause tells and its object; dates, ages and what English lists know in English."""
    own = _OWN.search(clause) is not None
    for pattern, predicate in _PREDICATES:
        match = pattern.search(clause)
        if match and not (own and _ANOTHERS.match(match.group())):
            parts = {name: words for name, words in match.groupdict().items() if words}
            return predicate, _value(parts)
    return None, None


def _value(parts: dict[str, str]) -> str | None:
    date = parts.get("date")
    if date is not None:
        return " ".join(in_english(date).split())
    if "years" in parts:
        return str(NUMBERS[parts["years"].lower()])
    found = next(iter(parts.values()), None)
    return _IN_ENGLISH.get((found or "").lower(), found)
