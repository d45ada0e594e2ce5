"""What is told instead of meant: dreams, games, pages read out and examples, and how far each of them reaches.

A frame opens with a word of its kind and holds for the sentences after it, and for the next turns of whoever tells it
(a game: of everybody), until a word of waking life closes it. Some frames are known only at their end ("and then I
woke up"): they take back what was told before. Pure: a stage is a value, each sentence gives the next one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_I = re.IGNORECASE


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(patterns) + ")", _I)


_NIGHT = r"(?:dream|nightmare|night ?terror)"
_DREAM = _any(
    rf"(?:had|have|having|'ve had|get|got|keep having|remember|tell you about) (?:the|a|an|this|that|another|"
    rf"such an?|one "
    rf"of (?:those|my|these)|my) (?:[\w-]+ ){{0,3}}{_NIGHT}s?\b(?! (?:job|house|home|car|holiday|team|catcher|come|of|"
    r"to|about (?:becom|hav|own)ing)\b)",
    rf"(?:in|during) (?:the|my|that|this|his|her|a|one|another|last night's) (?:[\w-]+ ){{0,2}}{_NIGHT}s?\b",
    rf"{_NIGHT}s? (?:where|in which|last night|again|the other night|that (?:i|we|he|she|they|my)\b)",
    r"(?:dreamt|dreamed|day-?dreamed)\b(?! (?:of|about) (?:\w+ing|being|a|an|my|our|this|that)\b)",
    r"(?:was|were|kept|keep) (?:day-?)?dreaming (?:that|i|about|my|we|he|she)\b(?! \w+ing)",
    r"i (?:always |often |sometimes |still |keep )?dream (?:that )?(?:i|i'm|i've|we|my|he|she|they)\b|recurring one\b|"
    r"(?:woke|wake) up (?:convinced|thinking|believing|sure|certain)\b|just before the alarm\b|"
    r"(?:(?:nodded|dozed|drifted|drift|nod|doze) off|fell asleep)\b.* (?:suddenly|next thing)\b|"
    r"for some reason,? (?:i'm|i am|we're|there's|my|it's|he's|she's)\b|but it (?:wasn't|isn't) (?:really|"
    r"actually) (?:my|our|"
    r"the|him|her|you)\b|(?:teeth|tooth) (?:\w+ )?(?:falling|fell|crumbling|coming) out\b|"
    r"(?:was|were) alive again\b|back from the dead\b|my (?:brain|mind|subconscious|head) (?:put|had|made|gave|"
    r"sent|showed|took) me\b|^(?:and |so |then )*in it,? (?:i|we|my)\b|"
    r"(?:i'?m|i was) asleep\b|in my sleep\b|sleep-?walking\b|(?:woke|wake) (?:up )?(?:sweating|screaming|crying|"
    r"laughing|in a (?:cold )?sweat)\b|\b(?:weird|strange|mad|crazy|funny) night,",
)
_PLAY = _any(
    r"in (?:this|the|our|that|my) (?:[\w-]+ )?(?:game|sketch|scene|play|role|role-?play|story|film|novel|"
    r"campaign|comic|"
    r"level|musical|panto\w*|skit|quest|simulation|murder mystery|script)\b",
    r"in (?:a|an|my best|my) [\w-]+ (?:voice|accent)\b|level (?:\d+|one|two|three|four|five|six|seven|nine|ten) \w+,|"
    r"(?:captain|commander|agent|officer|detective|doctor|nurse|professor|major) \w+ (?:here|speaking|reporting)\b|"
    r"(?:practi[cs]e|trial|dry|test) run\b|for (?:the|this|our) (?:improv|sketch|scene|role|bit|audition|play|"
    r"skit|part)\b",
    r"i(?:'m| am|'ll be|'ll play| play| get to be) (?:playing |doing )?(?:the part|the role|a character|the voice)\b",
    r"i'?m playing (?:a|an|the) (?!.*\b(?:game|match|tournament|concert|gig|show|guitar|piano|violin|cello|flute|"
    r"drums?)\b)",
    r"my (?:character|avatar|alter ego|persona)\b|(?:my|our|the) (?:guy|one) in the (?:campaign|game)\b",
    r"(?:let's|we're|i was|i'm|just|he was|she was) (?:just )?(?:pretend|pretending|play-?acting|role-?playing|make-?"
    r"believe)\b|make-?believe\b|(?<!can )(?<!to )(?<!i )(?<!you )pretend (?:to|i|you|we|he|she|they|that|my|"
    r"this|it)\b",
    r"(?:you(?:'re| are|'ll be| be| play|'ll play)|you be) (?:being )?(?:the|a|an|my) [\w' ]{3,24}(?:and|,|\.|;) ?"
    r"i(?:'?m|'ll| am| will)\b",
    r"i(?:'m| am|'ll be|'ll play|'ll do) (?:the|a|an) [\w' ]{3,24}(?:and|,|\.|;)? ?(?:and )?you(?:'re| are|'ll be| be|"
    r"'ll play) (?:the|a|an|my)\b",
    r"you (?:have|need|'ve got) to (?:say|act|pretend|be the)\b|(?:say|repeat) (?:it )?after me\b",
    r"\bi roll (?:for|a (?:d\d+|natural|twenty))\b|captain's log\b|once upon a time,? (?:there|in|i was)\b",
    r"(?:halt|behold|forsooth|alas|avast|ahoy|arrr*|en garde|hark)\b|(?:thee|thou|thy|thine|m'?lord|m'?lady|"
    r"milord|milady|"
    r"your (?:majesty|highness|grace|honou?r|excellency|worship)|ye olde|good sir|fair maiden|brave (?:knight|sir))\b",
    r"ladies and gentlemen\b|welcome (?:aboard|traveller|traveler|stranger|to (?:my|our) (?:shop|inn|castle|kingdom|"
    r"tavern|show|ship|humble|lair|restaurant))\b|i have (?:slain|travelled (?:far|through time))\b",
    r"as (?:the |a |an )?(?:mayor|king|queen|pirate|wizard|robber|captain|sheriff|villain|emperor|princess|"
    r"prince) of\b",
)
_SPEAKS_AS = re.compile(r"^(?:so |and |okay |right )?as (?-i:[A-Z])\w+[:,]", _I)
_FICTION = (
    "dwarf|elf|wizard|witch|king|queen|prince|princess|vampire|robber|mayor|pirate|dragon|knight|ghost|zombie|unicorn|"
    "emperor|empress|sheriff|ninja|superhero|werewolf|troll|goblin|orc|fairy|mermaid|alien|robot|lighthouse|potato|"
    "genie|sorcerer|sorceress|warrior|assassin|villain|hobbit|baron|duke|duchess|monster|gangster|paladin|bard|rogue|"
    "cleric|druid|cyborg|android|time traveller|time traveler|astronaut from|superhuman|giant|ogre|samurai|gladiator|"
    "pharaoh|caveman|cowboy|outlaw|bandit|highwayman|headless|demon|angel|god|goddess|vampire slayer|spaceman|"
    "dinosaur|t-?rex|lion|tiger|bear|wolf|fox|cat|kitten|dog|puppy|horse|bird|parrot|penguin|giraffe|elephant|goat|"
    "snail|slug|cactus|teapot|toaster|lamp|tree|rock|cloud|statue|sandwich|croissant|pickle|turnip|cabbage|burrito|"
    "puddle|doormat|sponge|hamster|sloth|walrus|squirrel"
)
_IS_FICTION = re.compile(
    r"\bi(?:'m| am|'ll be| was) (?:(?:basically|actually|really|now|just|literally|secretly|technically|officially|but|"
    rf"such|half|part|a|an|the|your|\w+ the) )+(?:(?!early|rare|lucky|"
    rf"big)[\w-]+ )?(?:{_FICTION})\b(?! (?:person|lover|owner|man|woman|fan|sitter|"
    r"walker|trainer|guy|lady|people|keeper|breeder|dad|mum|mom|lawyer|surgeon)\b)",
    _I,
)
_PAGE = _any(
    r"breaking news\b|sing (?:it|this|along)\b|how does (?:it|that|the) (?:song |tune |line |bit )?go\b",
    r"(?:la[ ,-]+){2,}|(?:da[ ,-]+){2,}|(?:na[ ,-]+){3,}|ooh,? yeah\b|yeah,? yeah,? yeah\b",
    r"(?:i'?m|i am|let me|i'll|i will|lemme) (?:just )?read(?:ing)?(?: you| out| aloud| this| it|"
    r" the (?:profile|letter|"
    r"note|ad|card|script|email|question|headline|review|post|message|sign|caption|next|first|last))\b",
    r"reading (?:out|aloud|question|from|you)\b|let me (?:read|quote|recite)\b|(?:quoting|reciting|to quote)\b",
    r"listen to this\b|get (?:this|a load of this)[,:]|chapter (?:\w+)\b[.,:]|(?:act|scene|verse|page|stanza) "
    r"(?:one|two|three|four|five|\d+)\b[.,:]",
    r"^question (?:one|two|three|four|five|six|seven|eight|nine|ten|\d+)\b|"
    r"(?:it|this|that) says(?: here\b|,? [\"“])|quote\b.*\bunquote|and i quote\b|quote,",
    r"(?:this|that|the (?:first|next|last|other|second)) one (?:goes|says|reads)\b|(?:it|"
    r"the \w+) goes,? (?:like )?[\"“]",
    r"(?:dear (?:sir|madam|diary|sirs|customer|neighbou?rs?|tenant|editor|all|santa|parents)|to whom it may concern|"
    r"yours (?:sincerely|faithfully|truly)|kind regards|i hereby|terms and conditions|i,? the undersigned)\b",
    r"(?:translate|conjugate|dictate|spell) ?(?:this|the|:)",
)
_EXAMPLE = _any(
    r"(?<!can )(?<!to )(?<!i )(?<!you )(?:picture|imagine) (?:this|that|it|me|us)(?: for a second)?[,:.]|"
    r"(?<!can )(?<!to )(?<!i )(?<!you )imagine (?:i|you|we|he|she|they|my)\b",
    r"suppos(?:e|ing) (?:i|you|we|he|she|they|that|my|for|(?-i:[A-Z])\w+)\b|hypothetically\b|"
    r"for argument's sake\b|for the sake of argument\b",
    r"let'?s (?:just )?(?:say|pretend|imagine|suppose|assume) (?:i|i'\w+|you|we|he|she|they|my|that|for|the|there)\b",
    r"(?:for|as an?) (?:example|instance)[,:]? (?:take|say|the sentence)|(?:example|sample|model|practice) "
    r"(?:sentence|problem|answer|text|question|dialogue)\b|say,? (?:for (?:instance|example)|hypothetically)\b",
    r"(?:take|here's|let's take|let's do) (?:an|this|the following|one) (?:simple )?example\b|^example[,:.]",
    r"take the (?:sentence|phrase|word|example)\b|(?:if )?you (?:say|write|put) [\"“]",
    r"^(?:so |okay |right |and |like )*say (?:i|we|you|he|she|they|my|(?-i:[A-Z])\w+)(?:'m|'ve|'d|'re|"
    r"'s)? (?!it\b|that\b|"
    r"something\b|hi\b|hello\b|no\b|yes\b|so\b)\w+",
)
_WRITINGS = (
    r"(?:sign|sticker|mug|letter|e-?mail|review|profile|poster|text ?book|textbook dialogue|motto|caption|headline|"
    r"article|paper|card|note|t-?shirt|banner|slogan|label|form|leaflet|plaque|menu|ad|advert|message|page|diary|"
    r"chorus|song|lyrics?|verse|refrain|line|poem|film|movie|novel|book|story|play|script|scene|sentence|quote|"
    r"dialogue|prayer|anthem|jingle|tattoo|graffiti|horoscope|questionnaire|riddle|proverb|saying|tune|blurb|obituary|"
    r"flyer|brochure|recording|voicemail|answerphone|instructions|contract|inscription|gravestone|postcard|fortune "
    r"cookie|status|tweet|comment|character|narrator|hero|heroine)"
)
_READ_OUT = _any(
    rf"{_WRITINGS}(?: (?!i\b|we\b|you\b)\w+){{0,6}}?,? (?:just |always |literally )?(?:says|said|goes|reads|"
    rf"begins with|begins|begin with|opens with|ends with|starts with|started with|is like|it's like|sings|"
    rf"states)[,:]* "
    r"[\"“]?(?:i|i'\w+|my|we|we'\w+|hello|hi|dear)\b",
    rf"{_WRITINGS}(?:'s)? (?:is|was),? [\"“:]",
)
_SAYING = re.compile(
    r"says|said|goes|reads|begins?|starts|started|opens|ends|sings|states|like|(?:is|was),? [\"“:]", _I
)
"""Without one of these words nothing is read out: most sentences need no search for what is written."""
_WAKES = _any(
    r"(?:and |but |so )?(?:then |that's when |until |when )(?:i |we )?(?:suddenly )?(?:woke|wake)\b",
    r"(?:the|my) alarm (?:goes|went|rang|rings)\b|(?:it|this|that) (?:was|is|'s) (?:all |just |only )+an? (?:dream|"
    r"nightmare|joke|line|quote|song|game)\b|(?:woke|wake) up (?:and (?:it|i|was|realis|realiz)|before|"
    r"just (?:as|before)|"
    r"sweating|screaming|crying|laughing|in a)|dreams are (?:(?:so|really|such|just) )?(?:weird|odd|strange|"
    r"funny|mad|bizarre|crazy)\b",
    r"(?:great|classic|famous|best|love that|what a) (?:opening|film|movie|line|song|lyric|scene|poem|chorus)\b[.!]*$|"
    r"who (?:sang|wrote|said) that\b|name that (?:film|song|tune)\b|(?:and )?then,? the alarm\b|(?:mm+,? ){2,}|"
    r"(?:bom|boom|doo+|dum|da|na|tra) (?:bom|boom|doo+|"
    r"dum|dee|na|la)\b|"
    r"that's (?:the|always the|how the) (?:end credits|chorus|opening|ending|first line|last line|refrain|theme|"
    r"lyrics?|song|"
    r"line|film|book|poem|verse)\b|you've (?:read|seen|heard) (?:that|it),? (?:surely|right|too|haven't you)|ba dum\b|"
    r"(?:that|it|this)(?:'s| is| was)(?: just)? (?:from|out of) (?:the|a|that|my) (?:film|movie|song|book|play|"
    r"show|game|"
    r"series|poem|novel|script|musical)\b|(?:in|from) (?:the|my|that) dream\b[.!]*$|end (?:of )?(?:scene|quote)\b",
)
_CLOSES = _any(
    r"anyway\b|anyhow\b|in real(?:ity| life)\b|for real\b|seriously(?: though)?\b|jok(?:es|ing) aside\b|"
    r"back to reality\b|"
    r"on a serious note\b|out of character\b|by the way\b|speaking of\b|meanwhile\b|game over\b|"
    r"enough of (?:that|this)\b|"
    r"okay,? (?:stop|enough|cut)\b|cut!|the truth is\b|but (?:actually|really)\b|in actual fact\b|since i woke\b",
)
_START = r"(?:^|[.!?,] |\b(?:and|so|okay|ok|now|right|then) )"
_NEXT = (
    (
        "dream",
        re.compile(
            r"\b(?:dream|nightmare)(?:s|t|ed|ing)?\b.*\?|\btell (?:me|us).*\b(?:dream|nightmare)\b|"
            r"in your sleep\b|"
            r"\bweird night\b|(?:what|how) .*\bin it\?|slept? (?:badly|at all)\?",
            _I,
        ),
    ),
    (
        "play",
        re.compile(
            _START + r"(?:you be |you play the |you(?:'re| are|'ll be) (?:being |"
            r"playing )?(?:the [\w ]+(?: (?:this time|now|today|"
            r"again|and)\b|[.!,]|$)|(?:a|an|my) [\w ]+ (?:this time|now|today|again)\b)"
            r"|(?:practi[cs]e|mock|pretend|fake|trial) (?:interview|call|run|speech|date|exam|dialogue|trial|visit)|"
            r"let's (?:"
            r"pretend|role.?play|act|rehearse|practi[cs]e|play (?!a game|some music|tennis|football|cards|chess))"
            r"|role.?play|improv|your (?:line|turn to be|cue|monologue|character|go|move)\b|in character|action!"
            r"|(?:do|try|give us|show me) (?:the|your|that|a) [\w ]{0,20}(?:voice|accent|impression|monologue|"
            r"character|speech|part|lines|sketch)\b|(?:from the top|places everyone|curtain up)\b|"
            r"(?:shall we|can we|let's) (?:do|play|run) (?:the|it|that|our)\b|"
            r"tell (?:me|us) (?:a joke|a story|the (?:one|story|joke) )|"
            r"(?:who|what) (?:are you|am i) (?:now|today|this time|supposed to be)\b|"
            r"twenty questions|two truths|charades|truth or|knock knock|guess who)",
            _I,
        ),
    ),
    (
        "page",
        re.compile(
            _START + r"(?:what(?:'s| does| do| did) (?:it|this|that|they|(?:the|your|her|his|"
            r"their) [\w -]+?) (?:say|tell you|"
            r"predict)\b|read (?:it|that|this|me|us|him|her) (?:out|aloud|to me|the|what|a|some|another|one)\b|"
            r"how does (?:it|"
            r"that song|the \w+) go\b|sing (?:it|me|us|that|something|the)\b|recite\b|(?:what's|"
            r"anything) in the (?:paper|post|news|"
            r"letter|mail)\b|any (?:post|mail|news|gossip)\?|what's the (?:gossip|headline|rumou?r|word)\b|"
            r"what are they saying\b|"
            r"(?:go on|come on), (?:sing|read|quote)\b|the next (?:line|verse)\b)|\b(?:karaoke|horoscope|"
            r"fortune teller|tarot|"
            r"psychic)\b",
            _I,
        ),
    ),
    (
        "supposing",
        re.compile(
            r"\b(?:(?:what|where|how|who|which \w+) would|would you (?:rather|ever|still)|if (?:you|we|i|"
            r"they) (?:had|could|won|"
            r"were|did|got|lost|found)|what if|(?:and )?then what|give me an example|for example|what counts as|"
            r"wish ?list|bucket list|your list|und wenn|was wäre|was würdest)\b.*\?|"
            r"\byou (?:should|could|ought to)(?:'ve| have)\b|"
            r"\bund wenn\b",
            _I,
        ),
    ),
)
"""What puts the answer to it under a frame: what did you dream; you be the customer; read it out; what would you do."""
_LONGEST_CUE = 15
"""Words; who sets a scene or asks to be read to is brief."""
_TURNS = {"dream": 1, "play": 3, "page": 0, "supposing": 0}
"""Turns after its own for which a frame may hold: a dream is told in two, a game is played for a while."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The frame in force: its kind (none if empty), who tells it, and for how many more turns it may hold."""

    kind: str = ""
    by: str = ""
    turns: int = 0

    def binds(self, speaker: str) -> bool:
        """Whether what this speaker says next stands under it: a game binds everybody, a dream who tells it."""
        return bool(self.kind) and (self.kind == "play" or self.by == speaker)


def opens(sentence: str) -> str:
    """The kind of frame that a sentence opens for all after it, or nothing."""
    found = next((kind for kind, pattern in _FRAMES if pattern.search(sentence)), "")
    return found or ("page" if is_read_out(sentence) else "")


_FRAMES = (
    ("dream", _DREAM),
    ("play", _PLAY),
    ("play", _SPEAKS_AS),
    ("play", _IS_FICTION),
    ("page", _PAGE),
    ("supposing", _EXAMPLE),
)


def is_read_out(text: str) -> bool:
    """Whether something written is given word for word."""
    return bool(_SAYING.search(text) and _READ_OUT.search(text))


def closes(sentence: str) -> bool:
    """Whether waking life is spoken of again."""
    return bool(_CLOSES.match(sentence)) or bool(
        re.search(r"[,.] (?:anyway|seriously though|in real life)\b", sentence, _I)
    )


def takes_back(sentence: str) -> bool:
    """Whether all that was told before it was a dream, a game or a line."""
    return bool(_WAKES.search(sentence))


def after_turn(stage: Stage, speaker: str, kind: str, *, opened: bool) -> Stage:
    """The stage once a turn is over that ended in a frame of this kind (none if empty)."""
    if opened and kind:
        return Stage(kind, speaker, _TURNS[kind]) if _TURNS[kind] else Stage()
    if not stage.binds(speaker):
        return stage
    if stage.turns <= 1 or not kind:
        return Stage()
    return Stage(stage.kind, stage.by, stage.turns - 1)


def cues(sentence: str) -> str:
    """The frame under which a turn puts the answer to it, or nothing."""
    if len(sentence.split()) > _LONGEST_CUE:
        return ""
    return next((kind for kind, pattern in _NEXT if pattern.search(sentence)), "")
