"""What of a sentence its speaker asserts: not what is reported, dreamt, wished, weighed, played, read out or mocked.

English, by grammar rather than by phrase where there is a choice: mood (conditions, wishes), modality (hedges), verbs
that embed what others say or what is only thought of, and frames (a dream, a game, a song, a page) under which nothing
said is meant. A sentence is cut where it stops asserting, so that a truth beside a rumour is kept.
"""

from __future__ import annotations

import re

from memory.words.names import is_name, same_name
from memory.words.vocabulary import words

_I = re.IGNORECASE


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(patterns) + ")", _I)


# --- frames: from here to the end of the turn somebody else is speaking, or nobody is

_WRITINGS = (
    r"(?:sign|sticker|mug|letter|e-?mail|review|profile|poster|text ?book|textbook dialogue|motto|caption|headline|"
    r"article|paper|card|note|t-?shirt|banner|slogan|label|form|leaflet|plaque|menu|ad|advert|message|page|diary|"
    r"chorus|song|lyrics?|verse|refrain|line|poem|film|movie|novel|book|story|play|script|scene|sentence|quote|"
    r"dialogue|prayer|anthem|jingle|tattoo|graffiti|horoscope|questionnaire|riddle|proverb|saying|tune)"
)
_FRAME = _any(
    # dreams and make-believe
    r"(?:had|having|have|'ve had) (?:the|a|an|this|that|another|such a) (?:\w+ ){0,2}(?:dream|nightmare)\b(?! (?:job|"
    r"of|to|about becoming)\b)",
    r"in (?:the|my|that|this|his|her) (?:\w+ )?(?:dream|nightmare)s?\b",
    r"(?:i|i've|i'd|she|he|we) (?:\w+ )?(?:dreamt|dreamed)\b(?! of\b)",
    r"i'?m asleep\b|(?:picture|imagine) this\b|(?<!can )(?<!to )(?<!i )(?<!you )(?:imagine|pretend) (?:i|you|we|he|"
    r"she|they|that|my)\b",
    r"suppos(?:e|ing) (?:i|you|we|he|she|they|that|my|(?-i:[A-Z])\w+)\b",
    r"let'?s (?:say|pretend|imagine|suppose|assume) (?:i|i'\w+|you|we|he|she|they|my|that)\b",
    r"in (?:this|the|our|that|my) (?:game|sketch|scene|play|role|story|film|novel|campaign|comic|level)\b",
    r"for (?:the|this|our) (?:improv|sketch|scene|role|bit|audition|play)\b",
    r"i(?:'m| am|'ll be|'ll play| play) (?:playing |doing )?(?:the part|the role|a character)\b",
    r"i'?m playing (?:a|an|the) (?!.*\b(?:game|match|tournament|concert|gig|show|guitar|piano|violin|cello|flute|"
    r"drums?)\b)",
    r"(?:you be|you play|you(?:'re| are) (?:being )?the) [\w ]{3,20}(?:and|,) i'?(?:m|ll| am)\b",
    r"my character\b",
    # read out, sung, recited, taught
    r"breaking news\b",
    r"repeat after me\b|sing (?:it|this|along)\b|how does (?:it|that|the) (?:song |tune |line |bit )?go\b",
    r"(?:la[ ,-]+){2,}|(?:da[ ,-]+){2,}|(?:na[ ,-]+){3,}|ooh,? yeah\b|yeah,? yeah,? yeah\b",
    r"(?:i'?m|i am|let me|i'll|i will) read(?:ing)?(?: you| out| aloud| this| the (?:profile|letter|note|ad|card|"
    r"script|"
    r"email|question|headline|review|post|message|sign|caption))\b",
    r"reading (?:out|aloud|question|from|you)\b|let me (?:read|quote|recite)\b",
    r"listen to this\b|get (?:this|a load of this)[,:]|chapter (?:\w+)\b[.,:]",
    r"(?:it|this) says(?: here\b|,? [\"“])",
    r"quote\b.*\bunquote|and i quote\b|quote,",
    r"(?:for|as an?) example[,:]? (?:take|say|of|the sentence)\b|(?:example|sample|model) (?:sentence|problem|answer|"
    r"text)\b",
    r"take the (?:sentence|phrase|word|example)\b|(?:if )?you (?:say|write|put) [\"“]",
    r"(?:translate|conjugate|dictate|spell) (?:this|the|:)",
)  # fmt: skip
_READ_OUT = _any(
    rf"{_WRITINGS}(?: (?!i\b|we\b|you\b)\w+){{0,6}}?,? (?:just |always |literally )?(?:says|said|goes|reads|"
    rf"begins with|"
    r"starts with|started with|is like|it's like)[,:]* [\"“]?(?:i|i'\w+|my|we|we'\w+|hello|hi|dear)\b",
    rf"{_WRITINGS}(?:'s)? (?:is|was),? [\"“:]",
)
_SAYING = re.compile(r"says|said|goes|reads|begins|starts|started|like|(?:is|was),? [\"“:]", _I)
"""Without one of these words nothing is read out: most sentences need no search for what is written."""
_NEXT_IS_PLAYED = re.compile(
    r"(?:^|[.!?,] |\b(?:and|so|okay|ok|now) )(?:"
    r"you be |you(?:'re| are) (?:being |playing )?(?:the|a|an) [\w ]+ (?:this time|now|today|again)\b"
    r"|(?:practi[cs]e|mock|pretend) (?:interview|call|run|speech|date|exam|dialogue|trial)|let's (?:pretend|"
    r"role.?play|act|rehearse)"
    r"|role.?play|improv|your line|in character|action!"
    r"|what (?:does|do|did) (?:it|this|that|they|(?:the|your|her|his|their) [\w -]+?) say\b"
    r"|read (?:it|that|this|me) (?:out|aloud|to me|the)\b|how does (?:it|the song|that song|the poem) go\b)",
    _I,
)
_LONGEST_CUE = 15
"""Words; who sets a scene or asks to be read to is brief."""
_FICTION = words(
    "dwarf elf wizard witch king queen prince princess vampire robber mayor pirate dragon knight ghost zombie unicorn "
    "emperor empress sheriff ninja superhero werewolf troll goblin orc fairy mermaid alien robot lighthouse potato "
    "genie sorcerer warrior assassin villain hobbit baron duke duchess monster gangster"
)
_IS_FICTION = re.compile(rf"\bi(?:'m| am|'ll be)\b(?: \w+){{0,4}} (?:{'|'.join(sorted(_FICTION))})\b", _I)

# --- mocked: said, and not meant

_MOCKED = _any(
    r"yeah,? right\b|oh,? sure\b|as if\b|not that i\b|oh,? (?:how|great|brilliant|lovely)\b",
    r"(?:ha|haha\w*|lol|lmao|rofl|hehe)[.!?…]*$|, get it\b[.!?…]*$|,? ha,",
    r"basically (?:a|an|the|married|living|dead)\b|/s\b|best day ever\b|of the century\b|lucky me\b",
    r"so (?:old|poor|broke|hungry|thin|fat|short|lazy|bored) (?:that )?(?:i|my)\b|raised by wolves\b",
    r"my favou?rite thing in the (?:whole )?world\b|just what i (?:needed|wanted)\b",
    r"because (?:i'm|i am|we're) (?:obviously|clearly|so)\b",
)
_PRAISES = _any(
    r"(?:just|absolutely|totally|truly|simply|positively|so|obviously|genuinely|do) (?:love|adore|enjoy|live for)\b",
    r"(?:huge|big|massive) fan of\b|live for\b|(?:love|adore|enjoy)\w* (?:nothing more|being (?:called|woken|told|"
    r"ignored|shouted))\b",
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
    r"(?:always )?(?<!\bi )(?<!\bwe )(?<!\byou )(?:goes|went),? (?:like,? )?(?:i\b|i'|quote|you\b|my\b)",
    r"(?:was|were|is|'s|are) (?:all |just )?like(?:,| (?:i\b|i'|you\b|oh\b|my\b))",
    r"i (?:said|say|told \w+|go|went)(?: to (?:the |my )?\w+)?, ",
    r"according to (?!(?:the |my |our )?(?:plan|schedule|recipe|instructions))|from what (?:i|we) (?:hear|heard|"
    r"gather)\b",
    r"(?:i|we)(?:'ve|'d)? (?:was told|were told|been told|hear|heard|overheard|read somewhere)\b (?!from (?:him|her|"
    r"them|the)\b)"
    r"(?:that|from|\w+'s|about|somewhere|(?-i:[A-Z])\w+ (?:is|has|was)|he|she|they)",
    r"(?:rumou?r|rumou?rs|gossip|word)(?: has it| is\b| going| on the| goes)|(?:they|people|some|folks) (?:say|"
    r"are saying)\b",
    r"(?:apparently|supposedly|allegedly|reportedly|rumou?redly)\b|i(?:'ve got| have| had|'ve) a (?:feeling|hunch|"
    r"suspicion)\b",
    r"(?:wrote|writes|written|posted|tweeted|texted)(?: \w+){0,4} (?:that (?:i|he|she|they|we)\b|i(?:'m| am| have|"
    r"'ve)\b)",
)  # fmt: skip
_CONDITIONAL = _any(
    r"(?:even |only |what )?if (?!any\b)(?:\w+)|unless\b|as long as\b|so long as\b|provided (?:that|the|he|she|they|"
    r"we|i|my|it)\b|"
    r"providing (?:that|the)\b|in case\b|assuming\b|supposing\b|on condition\b|had (?:i|they|he|she|we|it) \w+(?:ed|"
    r"n|t)\b|"
    r"whether\b|were i\b|depends? on\b|depending on\b",
)
_WISHED = _any(
    r"(?:i|we|how i|he|she) (?:do |really |so |just )?wish\b|if only\b|i'd (?:kill|die|give anything|love|like|"
    r"rather)\b|"
    r"(?:i|we) would (?:kill|die|give anything|love|like|rather)\b|(?:i'd|we'd) (?:really |so )?(?:love|like) to\b|"
    r"would be (?:so |really )?(?:nice|great|lovely|good|cool|fun|wonderful)\b|my dream would\b|one day,? (?:i|we|"
    r"one day)\b|"
    r"(?:some day|someday),? (?:i|we)\b|hopefully\b|fingers crossed\b|here's hoping\b",
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
_UNREAL = (_REPORTED, _CONDITIONAL, _WISHED, _WEIGHED, _HEDGED, _FRAME, _IS_FICTION)
_JOINT = re.compile(
    r"\s*[,;:]\s+|\s+(?=(?:and|but|so|because|though|although|plus|then|or|which|except|not that|oh)\s)", _I
)
_IDIOM = re.compile(r"\bif (?:i (?:do|may) say so|you ask me|possible|needed|any|you know what i mean)\b", _I)


_EMBEDDED = re.compile(
    r"\b(?:verify|check|see|know|tell|find out|understand|determine|ask(?:ed|s|ing)?|confirm|test(?:ed|ing)?"
    r") (?:if|whether)\b",
    _I,
)
"""An embedded question is no condition."""


def asserted_parts(sentence: str) -> list[tuple[str, bool]]:
    """A doubtful sentence in stretches, in order, each with whether its speaker asserts it.

    What begins to be reported, supposed, wished, weighed or doubted stays so to the end of the sentence.
    """
    if is_asked(sentence):
        return [(sentence, False)]
    end = _end_of_assertion(sentence)
    if end == 0:
        return [(sentence, False)]
    return [(sentence[:end].rstrip(" ,;:"), True), (sentence[end:].lstrip(" ,;:"), False)]


def _end_of_assertion(sentence: str) -> int:
    """Where the first member begins that is not asserted, or that doubts the one before it."""
    starts = [0, *(joint.end() for joint in _JOINT.finditer(sentence))]
    bounds = list(zip(starts, [*starts[1:], len(sentence)], strict=True))
    for place, (start, after) in enumerate(bounds):
        member = sentence[start:after]
        if _REACHES_BACK.search(member):
            return bounds[max(0, place - 1)][0]
        if _is_unreal(member):
            return start
    return 0 if _is_unreal(sentence) else len(sentence)


def _is_unreal(text: str) -> bool:
    plain = _IDIOM.sub("", _EMBEDDED.sub("", text))
    return any(pattern.search(plain) for pattern in _UNREAL) or _is_read_out(plain)


def is_doubtful(sentence: str) -> bool:
    """Whether anything in it may not be asserted; what is not doubtful needs no closer look."""
    return _is_unreal(sentence) or bool(_REACHES_BACK.search(sentence))


def is_mocked(sentence: str) -> bool:
    """Whether irony or laughter marks it as not meant."""
    return bool(_MOCKED.search(sentence)) or bool(_PRAISES.search(sentence) and _NUISANCES.search(sentence))


def is_asked(sentence: str) -> bool:
    """Whether it asks by its order of words, without a question mark."""
    return bool(_QUESTION.match(sentence))


def opens_frame(sentence: str) -> bool:
    """Whether from here on a dream, a game, a song or a page is told: nothing more of the turn is meant."""
    return bool(_FRAME.search(sentence) or _IS_FICTION.search(sentence)) or _is_read_out(sentence)


def _is_read_out(text: str) -> bool:
    return bool(_SAYING.search(text) and _READ_OUT.search(text))


def suspends_next(sentence: str) -> bool:
    """Whether what is said in answer is played or read out: "You be the customer", "What does the letter say?"."""
    return len(sentence.split()) <= _LONGEST_CUE and bool(_NEXT_IS_PLAYED.search(sentence))


_CALLS_ITSELF = re.compile(
    r"\b[Mm]y name(?:'s| is) ([A-Z][\w-]+)|\b[Ii](?:'m| am) (?:the )?([A-Z][\w-]+)(?=\s*(?:[,.!]|$|and\b|I\b|here\b|"
    r"from\b|the\b))"
)


def takes_another_name(sentence: str, speaker: str) -> bool:
    """Whether a speaker who is known by a name gives another one: they read, play or sing."""
    match = _CALLS_ITSELF.search(sentence)
    name = (match.group(1) or match.group(2)) if match else ""
    return bool(name) and is_name(speaker) and is_name(name) and not same_name(name, speaker)
