"""What of a sentence its speaker asserts: not what is reported, dreamt, wished, weighed, played, read out or mocked.

English, by grammar rather than by phrase where there is a choice: mood (conditions, wishes), modality (hedges), verbs
that embed what others say or what is only thought of, and frames (a dream, a game, a song, a page) under which nothing
said is meant. A sentence is cut where it stops asserting, so that a truth beside a rumour is kept.
"""

from __future__ import annotations

import re

from memory.words import stage
from memory.words.names import is_name, same_name
from memory.words.retractions import slip

_I = re.IGNORECASE


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(patterns) + ")", _I)


# --- mocked: said, and not meant

_MOCKED = _any(
    r"yeah,? right\b|oh,? sure\b|as if\b|not that i\b|oh,? (?:how|great|brilliant|lovely)\b",
    r", get it\b[.!?…]*$",
    r"basically (?:a|an|the|married|living|dead)\b|/s\b|best day ever\b|of the century\b|lucky me\b",
    r"so (?:old|poor|broke|hungry|thin|fat|short|lazy|bored) (?:that )?(?:i|my)\b|raised by wolves\b",
    r"my favou?rite thing in the (?:whole )?world\b|just what i (?:needed|wanted)\b",
    r"because (?:i'm|i am|we're) (?:obviously|clearly|so)\b",
    r"made of (?:money|stone|steel|sugar|glass|cheese)\b|(?:million|billion|zillion|gazillion|squillion|"
    r"trillion) (?:times|years|"
    r"things|people|miles|degrees|hours)\b|since the (?:middle ages|dawn of time|dinosaurs|dark ages|stone age|"
    r"war of the)\b",
    r"my (?:feet|legs|back|brain|head|eyes|knees|arms|ears|body|soul|liver|spine|neck)(?: have| has| are| is|'s|"
    r"'ve|'re)? (?:died|"
    r"dead|gone on strike|filed|resigned|exploded|melted|fallen off|falling off)\b|no (?:spine|brain|bones|legs|"
    r"feet) left\b",
    r"haven't (?:slept|eaten|laughed|moved|sat down) since (?:the \w+ies|\d{4}|christmas|easter|the last|birth|"
    r"i was born)\b",
    r"(?:i|i'm|i've|we|we're|it|it's|he's|she's)(?: am| was)? (?:literally|officially|practically|legally|clinically|"
    r"medically) (?:a|an|the|dead|dying|died|married|living|made|turning|part|one)\b",
    r"(?:died|dying|dead) (?:of|from) (?:boredom|laughter|embarrassment|shame|heat|hunger|happiness|laughing)\b|"
    r"(?:hundred|"
    r"thousand) times (?:a|an|every|already|today|before)\b|for (?:a (?:hundred|thousand|million)|centuries|"
    r"an eternity)\b|"
    r"could eat a (?:horse|house|cow)\b|(?:weighs?|weighed) a ton\b",
    r"oh,? (?:yeah|yes|sure|great|joy)[,.!]+ (?:i|we) (?:just|really|so|totally|absolutely|simply) (?:love|adore|enjoy|"
    r"live for)\b",
    r"ba[ -]?dum[ -]?ts+\b|pun intended\b|that's what she said\b|dad joke\b|father of the year\b|mother of the year\b|"
    r"(?:employee|parent|genius|husband|wife) of the (?:year|month|century)\b|and i'm the (?:queen|king|pope|"
    r"tooth fairy|easter)\b",
)
_BECAUSE = re.compile(r"(?:yeah|oh|sure|right|yes|well|of course|great)[,. ]+because\b", _I)
_PRAISES = _any(
    r"(?:just|absolutely|totally|truly|simply|positively|so|obviously|genuinely|do) (?:love|adore|enjoy|live for)\b",
    r"(?:sure|oh|yeah|yes|great|right),? (?:i|we) (?:love|adore|enjoy)\b|(?:huge|big|massive) fan of\b|live for\b",
    r"(?:love|adore|enjoy)\w* (?:nothing more|being (?:called|woken|told|ignored|shouted|stuck|lied|kept))\b",
)
_NUISANCES = _any(
    r"(?:traffic|tax(?:es)?|queues?|queu(?:e)?ing|meetings?|sunburn|paperwork|bills?|mondays?|cold showers?|delays?|"
    r"spam|"
    r"hangovers?|root canals?|spreadsheets?|mosquito(?:e)?s|waiting|overtime|drilling|being (?:called|woken|told|"
    r"ignored)|"
    r"parking tickets?|deadlines|hold music|small talk|forms|mould|mold|leaks?|jet lag)\b",
)
"""Things nobody loves; who says they do, and stresses it, does not."""

# --- unreal stretches: everything from the clause they stand in to the end of the sentence

_THIRD = r"(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bto )(?<!\bi've )(?<!\bi'd )(?<!\bi'll )(?<!\bi just )(?<!\bi always )"
_REPORTED = _any(
    r"(?=say|said|cla|men|reck|ins|sw|ann|su|ass|all)"
    + _THIRD
    + r"(?<!as )(?:says|said|saying|claims?|claimed|claiming|mentioned|reckons?|reckoned|insists?|insisted|"
    r"swears|swore|"
    r"announced|announces|suggested|suspects?|assumes?|assumed|alleges?|alleged)\b (?:that|how|i|i'\w+|he|she|they|"
    r"we|it|you|there|\w+'\w+|his|her|my|our|your|the|a|an|old|nobody|everybody|(?-i:[A-Z])\w*)\b",
    r"(?=tell|told)"
    + _THIRD
    + r"(?:tells?|told|telling) (?:me|us|her|him|them|everyone|everybody|people|you|[a-z]+ (?:judge|"
    r"doctor)|the \w+|(?-i:[A-Z])\w+)\b,? "
    r"(?:that |how |i\b|i'|my |he|she|they|we|it|you|not to|there|about)",
    r"(?:he|she|they|who|everyone|everybody|people|village|street|family|mum|mom|dad|mother|father|sister|brother|boss|"
    r"ex|wife|husband|doctor|teacher|neighbou?rs?|team|[a-z]+ (?:office|school)) (?:all |still |really |"
    r"secretly )?(?:thinks?|thought|believes?|believed)\b (?!of\b|about\b)",
    r"keeps? (?:saying|telling|asking|insisting|claiming)\b|(?:are|is|was|were) (?:all )?(?:saying|telling|asking|"
    r"claiming)\b",
    r"(?:always )?(?<!\bi )(?<!\bwe )(?<!\byou )(?:goes|went),? (?:like,? )?"
    r"(?:(?:oh|omg|my god|well|yeah|no|hey|wow),? ){0,3}(?:i\b|i'|quote|you\b|my\b)",
    r"(?:was|were|is|'s|are) (?:all |just )?like(?:,| (?:i\b|i'|you\b|oh\b|my\b))",
    r"(?:was|were|'s) all,? (?:i\b|i'|oh\b)",
    r"i (?:said|say|told (?!you\b)\w+|go|went)(?: to (?:the |my )?\w+)?, ",
    r"according to (?!(?:the |my |our )?(?:plan|schedule|recipe|instructions))|from what (?:i|we) (?:hear|heard|"
    r"gather)\b",
    r"(?:i|we)(?:'ve|'d)? (?:was told|were told|been told|hear|heard|overheard|read somewhere)\b (?!from (?:him|her|"
    r"them|the)\b)"
    r"(?:that|from|\w+'s|about|somewhere|(?-i:[A-Z])\w+ (?:is|has|was)|he|she|they)",
    r"(?:rumou?r|rumou?rs|gossip|word)(?: has it| is\b| going| on the| goes)|(?:they|people|some|folks) (?:say|"
    r"are saying)\b",
    r"(?:supposedly|allegedly|reportedly|rumou?redly)\b|i(?:'ve got| have| had|'ve) a (?:feeling|hunch|"
    r"suspicion)\b",
    r"(?:wrote|writes|written|posted|tweeted|texted)(?: \w+){0,4} (?:that (?:i|he|she|they|we)\b|i(?:'m| am| have|"
    r"'ve)\b)",
)
_CONDITIONAL = _any(
    r"(?:even |only |what )?if (?!any\b)(?:\w+)|unless\b|as long as\b|so long as\b|provided (?:that|the|he|she|they|"
    r"we|i|my|it)\b|"
    r"providing (?:that|the)\b|in case\b|assuming\b|supposing\b|on condition\b|had (?:i|they|he|she|we|it) \w+(?:ed|"
    r"n|t)\b|"
    r"in that case\b|or else\b|once (?:i|i'm|i've|we|we're|we've) [\w ]+,? (?:i'll|we'll|i'm|we're|i can|we can)\b|"
    r"(?:one more|another|say|touch|keep|give)\b[\w ]* and (?:i'm|i'll|we're|we'll)\b|"
    r"whether\b|were i\b|depends? on\b|depending on\b",
)
_WISHED = _any(
    r"(?:i|we|how i|he|she) (?:do |really |so |just )?wish\b|if only\b|i'd (?:kill|die|give anything|love|like|"
    r"rather)\b|"
    r"(?:i|we) would (?:kill|die|give anything|love|like|rather)\b|(?:i'd|we'd) (?:really |so )?(?:love|like) to\b|"
    r"would be (?:so |really )?(?:nice|great|lovely|good|cool|fun|wonderful)\b|my dream would\b|one day,? (?:i|we|"
    r"one day)\b|"
    r"(?:some day|someday),? (?:i|we)\b|hopefully\b|fingers crossed\b|here's hoping\b|one of these days\b|some ?day\b"
    r"|(?:it's|it is) (?:about|high) time\b|(?:'ll|will|going to) probably\b|probably (?:going to|will|'ll|end up)\b",
    r"in (?:another|a (?:different|perfect|parallel)|an (?:ideal|alternate|alternative)|my next) "
    r"(?:life|lifetime|world|universe|reality)\b(?!-)|^when (?:i|we)(?: finally)?(?: win the (?:lottery|jackpot|pools)|"
    r" strike it rich| grow up| retire| become (?:rich|famous))\b(?!.*\b(?:want|hope|plan|dream|going)\b)",
)
_WEIGHED = _any(
    r"(?:i'm|i am|we're|we are|been|still|was|were|he's|she's) (?:\w+ )?(?:thinking (?:of|about)|considering|toying|"
    r"contemplating|debating|"
    r"pondering|torn|tempted|in two minds|undecided|on the fence|wondering|mulling)\b|(?:been|i'm|am|"
    r"was) meaning to\b|tempted to\b|(?:kind|sort) of (?:want|wish|feel like)|"
    r"(?:half|part) of (?:me|us) \w+|back and forth\b|up in the air\b|(?:have|has)n't (?:yet )?(?:decided|made up)|"
    r"not decided\b|"
    r"keep telling myself\b|just for fun\b|(?:i|we)(?:'m| am|'re)? (?:sort|kind) of (?:looking|thinking|planning)|"
    r"(?:it's|it is) either\b|either \w+ or \w+\b|toy(?:ed|ing) with\b|may or may not\b|"
    r"(?:i|we) (?:can't|cannot) decide\b|could be that\b",
)
_HEDGED = _any(
    r"(?:maybe|perhaps|possibly|presumably|conceivably|probably not)\b|(?:i|we) (?:guess|suppose)\b|(?:he|she|it|"
    r"they|we|i|(?-i:[A-Z])\w+) might\b|(?:looks?|sounds?) like i\b|"
    r"could be wrong\b|not (?:at all |entirely |really |so |completely |quite )?(?:sure|certain)\b|no idea\b|"
    r"there(?:'s| is) no (?:way|chance)\b|by no means\b|at this rate\b|"
    r"no clue\b|who knows\b|we'll see\b|"
    r"don't quote me\b|don't really know\b|nobody knows\b|hard to say\b|for all i know\b|could have (?:a|an)\b|"
    r"(?:almost|nearly) (?:\w+ed|bought|went|took|got|lost|quit|said|sold|left|became|made|did|had|came|fell|ran|hit|"
    r"won)\b",
)
_REACHES_BACK = _any(
    r"(?:that's|that is) what (?:i'd|i would|he|she|they|\w+(?:'s)?(?: \w+)?) (?:say|says|said|tell|told|claims?|"
    r"heard|thinks?)\b|"
    r"or so (?:the |my |i|they|he|she|\w+)\b|who knows\b|don't quote me\b|no idea[.!…]*$|nobody (?:\w+ ){0,4}is sure\b|"
    r"we'll see\b|(?<!i'm )not sure(?: at all| yet| though)?[.!…]*$|or not[,.!…]*$|or not,|maybe not\b|"
    r"if i remember\b|third hand\b|canteen talk\b|allegedly\b|yes or no\b|i made (?:that|it) up\b",
)
"""What is said in doubt of the words before it."""
_QUESTION = re.compile(
    r"(?:(?:so|and|but|then|also|well|um|uh|wait|hey|okay|ok)[, ]+)*(?:"
    r"(?:what|who|whom|whose|where|when|why|how|which|since when)(?: (?:long|many|much|old|often|far|come|"
    r"about))?(?: \w+)? "
    r"(?:do|does|did|are|is|was|were|am|can|could|would|will|should|have|has|had|might) (?:you|i|we|they|he|she|it|"
    r"the|my|your|this|that|there)\b"
    r"|(?:am|was|were|did|do|does|have|has|had|can|could|should|shall|will|would|are|is) (?:i|you|we|they|he|she|it) )",
    _I,
)
_UNREAL = (_REPORTED, _CONDITIONAL, _WISHED, _WEIGHED, _HEDGED)
_JOINT = re.compile(
    r"\s*[,;:]\s+|\s+(?=(?:and|but|(?<!\bor )so|because|though|although|plus|then|or|which|except|not that|oh)\s)", _I
)
_IDIOM = re.compile(
    r"\bif (?:i (?:do|may) say so|you ask me|possible|needed|any|you know what i mean|i'm honest)\b", _I
)
_ANYBODY = r"(?:you|anyone|anybody|someone|somebody|people|they|he|she)"
_ON_THE_SAYING = re.compile(
    rf"^(?:(?:if|in case|when|falls|wenn) {_ANYBODY}(?:'re|'ve|'s)? (?:\w+ ){{0,7}}?[\w']+,\s+|should you [\w ]+?,\s+|"
    r"(?:whether|if) (?:you|they|he|she|people) like it or not,\s+|unless (?:they've|it's|somebody's|i'm|"
    r"i've) [\w ]+?,\s+|"
    r"if i'm (?:a bit |a little |so )?(?:slow|late|quiet|grumpy|tired|short|off|not myself),?\s+|"
    r"if i remember (?:right|"
    r"rightly|correctly),\s+)(?=(?:i|i'm|i've|my|we|we've|we're|our|it's|that's|there's|(?-i:[A-Z])\w+ and i)\b)",
    _I,
)
"""A condition on the saying, not on what is said: if you need me, I live at number four."""
_ON_THE_SAYING_AFTER = re.compile(
    r",? (?:if (?:you|anyone|anybody)(?:'re| are)? (?:like|want|need|fancy|ask|asks|care|wondering|interested|"
    r"must know|"
    r"please|know|remember)\b[^,.]*|in case you[^,.]*)(?=[,.!]|$)",
    _I,
)
_DEPENDS = re.compile(
    r"^(?:i|we|it|that|there|my \w+|our \w+)(?:'d|'ll| will| would| can| could| might| may|"
    r"'m \w+ing|'re \w+ing|"
    r" am \w+ing| are \w+ing|'m going|'re going|'m gone)\b",
    _I,
)


def without_asides(sentence: str) -> str:
    """Without conditions on the saying: what follows them holds whether or not they do."""
    opening = _ON_THE_SAYING.match(sentence)
    if opening and not _DEPENDS.match(sentence[opening.end() :]):
        sentence = sentence[opening.end() :]
    closing = _ON_THE_SAYING_AFTER.search(sentence)
    if closing and not _MODALS.search(sentence[: closing.start()]):
        sentence = sentence[: closing.start()] + sentence[closing.end() :]
    told = _AUTHORITY.match(sentence)
    return sentence[told.end() :] if told else sentence


_MODALS = re.compile(r"\b(?:would|will|could|might|may|should)\b|'(?:ll|d)\b", _I)
_AUTHORITY = re.compile(
    r"^(?:(?:and|so|well|okay|yeah)[, ]+)*(?:(?:the|my|our|a) )?(?:doctor|gp|dentist|optician|consultant|"
    r"specialist|nurse|midwife|vet|"
    r"surgeon|physio|physiotherapist|oncologist|cardiologist|dermatologist|accountant|solicitor|lawyer|bank|"
    r"landlord's agent|"
    r"school|university|hospital|clinic|lab|letter|test|tests|scan|x-?ray|results?|payslip|contract|hr|"
    r"they)(?: (?:results?|wrote back|"
    r"came back))?,? (?:has |have |had |just |now |finally )*(?:says?|said|tells? me|told me|confirmed|wrote|"
    r"writes|informed me|"
    r"diagnosed me|came back|mailed|wrote back)(?: (?:today|this morning|yesterday|last week|again))?,? (?:that )?"
    r"(?=(?:i have|i've (?:got|been given|torn|broken|passed)|i am|i'm (?!\w+ (?:percent|years))|i need|i owe|"
    r"i can't|i got|my)\b)",
    _I,
)
"""Who says what they are there to know, of the speaker's health, money or papers, is quoted as a witness."""
_EMBEDDED = re.compile(
    r"\b(?:verify|check|see|know|tell|find out|understand|determine|ask(?:ed|s|ing)?|confirm|test(?:ed|ing)?"
    r") (?:if|whether)\b",
    _I,
)
"""An embedded question is no condition."""


def asserted_parts(sentence: str) -> list[tuple[str, bool]]:
    """A doubtful sentence in stretches, in order, each with whether its speaker asserts it.

    What begins to be reported, supposed, wished, weighed or doubted stays so to the end of the sentence, or until the
    speaker sets against it what is so ("I'd come, but I work Saturdays").
    """
    if is_asked(sentence):
        return [(sentence, False)]
    bounds = _members(sentence)
    end = _end_of_assertion(sentence, bounds)
    back = next(
        (start for start, after in bounds if start > end and _is_contrast(sentence[start:after])), len(sentence)
    )
    if back < len(sentence) and _is_unreal(sentence[back:]):
        back = len(sentence)
    stretches = ((sentence[:end], True), (sentence[end:back], False), (_BUT.sub("", sentence[back:]), True))
    return [(words.strip(" ,;:"), asserted) for words, asserted in stretches if words.strip(" ,;:")]


def _members(sentence: str) -> list[tuple[int, int]]:
    starts = [0, *(joint.end() for joint in _JOINT.finditer(sentence))]
    return list(zip(starts, [*starts[1:], len(sentence)], strict=True))


_BUT = re.compile(r"^(?:but|except(?: that)?|only|whereas|though)(?: (?:actually|really|in fact))?,? ", _I)
_CONTRAST = re.compile(_BUT.pattern + r"(?:no,? )?(?:i|i'\w+|my|we|we'\w+|our)\b", _I)


def _is_contrast(member: str) -> bool:
    return bool(_CONTRAST.match(member)) and not _REACHES_BACK.search(member)


def _end_of_assertion(sentence: str, bounds: list[tuple[int, int]]) -> int:
    """Where the first member begins that is not asserted, or that doubts the one before it."""
    mended = slip(sentence)
    if mended:
        said = [start for start, after in bounds if start < mended and len(sentence[start:after].split()) > 1]
        return max(said, default=0)
    for place, (start, after) in enumerate(bounds):
        member = sentence[start:after]
        if _REACHES_BACK.search(member):
            return bounds[max(0, place - 1)][0]
        if _is_unreal(member):
            return start
    return 0 if _is_unreal(sentence) else len(sentence)


def _is_unreal(text: str) -> bool:
    plain = _IDIOM.sub("", _EMBEDDED.sub("", text))
    return any(pattern.search(plain) for pattern in _UNREAL) or bool(stage.opens(plain))


def is_doubtful(sentence: str) -> bool:
    """Whether anything in it may not be asserted; what is not doubtful needs no closer look."""
    return _is_unreal(sentence) or _REACHES_BACK.search(sentence) is not None or slip(sentence) is not None


def is_mocked(sentence: str) -> bool:
    """Whether irony or laughter marks it as not meant."""
    return bool(_MOCKED.search(sentence) or _BECAUSE.match(sentence)) or bool(
        _PRAISES.search(sentence) and _NUISANCES.search(sentence)
    )


_ASKED_FIRST = re.compile(
    r"(?:(?:so|and|but|or|god|oh|well)[, ]+)*(?:who|why|whose)\b(?! knew| knows)|or (?:was|is|were|are|did|am|do) ", _I
)


def is_asked(sentence: str) -> bool:
    """Whether it asks by its order of words, without a question mark."""
    return bool(_QUESTION.match(sentence) or _ASKED_FIRST.match(sentence))


_DEMONYM = re.compile(
    r"(?:ian|ean|ese|ish|can)$|^(?:Dutch|French|German|Swiss|Greek|Welsh|Czech|Thai|Slovak|Jewish|Catholic|Muslim)$"
)
_FILLERS = frozenset({"the", "um", "uh", "er", "no", "no,", "well", "well,", "sorry", "sorry,", "oh", "or"})
_NUMERAL = re.compile(
    r"\b(?:\d+(?:st|nd|rd|th)?|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[ -]\w+)?|one|two|three|four|five|six|"
    r"seven|eight|nine|ten|eleven|twelve|\w+teen(?:th)?|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b",
    _I,
)
_ECHO = 3
"""Words in which one asks back, or says anew, what one has just said."""


def mends(sentence: str, before: str) -> bool:
    """Whether it asks back a word just said, or says another number alone: on the sixth. Sixth? Seventh."""
    spoken = sentence.rstrip("?!. ").lower().split()
    if not 0 < len(spoken) <= _ECHO:
        return False
    if sentence.endswith("?"):
        return set(spoken) <= set(re.findall(r"[\w']+", before.lower()))
    anew = bool(_NUMERAL.fullmatch(spoken[-1]) and _NUMERAL.search(before))
    return anew and set(spoken[:-1]) <= _FILLERS


_TITLE = (
    r"(?:Captain|Detective|Doctor|Dr|Inspector|Sergeant|Professor|Queen|King|Lord|Lady|Sir|Prince|Princess|"
    r"Agent|Officer|"
    r"General|Major|Colonel|Commander|Judge|Count|Father|Sister|Brother|Mr|Mrs|Miss|Ms)\.? "
)
_CALLS_ITSELF = re.compile(
    rf"\b[Mm]y name(?:'s| is) (?:{_TITLE})?([A-Z][\w-]+)|\b(?:[Ii](?:'m| am)|"
    rf"[Tt]his is) (?:the )?(?:{_TITLE})?([A-Z][\w-]+)"
    r"(?: [A-Z]\w+)?(?=\s*(?:[,.!]|$|and\b|I\b|here\b|from\b|the\b|speaking\b))"
    r"|\b[Ww]e(?:'re| are) the ([A-Z]\w+)s\b"
)


def takes_another_name(sentence: str, speaker: str) -> bool:
    """Whether a speaker who is known by a name gives another one: they read, play or sing."""
    match = _CALLS_ITSELF.search(sentence)
    name = next(filter(None, match.groups())) if match else ""
    if not name or _DEMONYM.search(name):
        return False
    return is_name(speaker) and is_name(name) and not same_name(name, speaker)
