"""What is asserted and what is not: negation, questions, hypotheticals, jokes, quotations, hearsay, hedges.

Predicates over one sentence (English). Only assertions become claims; negation is a claim of its own polarity.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE

_NEGATION = re.compile(
    r"\b(?:not|never|no longer|neither|nor|cannot|without ever|nobody|none|nothing|hardly|barely)\b|n't\b"
    r"|\b(?:no|not any) (?!doubt|matter|wonder|less|more than)\w+",
    _I,
)
GERMAN_NEGATION = r"\b(?:nicht(?! alles)|nichts|nix|kaum|kein\w*|nie|niemals|nirgend\w*)\b"
_GERMAN_NEGATION = re.compile(GERMAN_NEGATION, _I)
_INTERROGATIVE = r"(?:what|who|whom|whose|where|when|why|how|which)"
_AUXILIARY = (
    r"(?:do|does|did|are|is|was|were|can|could|would|will|should|have|has|had|shall|may|don't|didn't|isn't|aren't)"
)
_ASKS = re.compile(
    r"(?:(?:so|and|but|then|also|well)[, ]+)?(?:"
    rf"{_INTERROGATIVE}(?:'s|'re|'ve|'d)? .*\?$"
    rf"|{_INTERROGATIVE} {_AUXILIARY} (?:you|i|we)\b"
    rf"|{_AUXILIARY} (?:you|i|we|they|he|she|it|there|your|the|this|that|any)\b)",
    _I,
)
_HYPOTHESIS = re.compile(
    r"(?:\w+ )?(?:if|unless|suppose|supposing|imagine|what if|assuming|in case|let's say|say (?:i|we|you)|pretend|"
    r"wouldn't it|were i|had i known|i wish|if only|hopefully)\b",
    _I,
)
_CONDITION = re.compile(r"\b(?:if|unless|as long as|provided|in case|whether)\b", _I)
_MAY = (
    r"(?-i:(?<!\bin )(?<!\bof )(?<!\bby )(?<!\bsince )(?<!\buntil )(?<!\bthis )(?<!\blast )(?<!\bnext )(?<!\d )(?<!th )"
    r"may(?= [a-z]))"
)
"""The verb; the month and the name are mostly written with a capital, and no verb follows them."""
_MODAL = re.compile(rf"\b(?:would|could|might|should|{_MAY}|ought|must|'d)\b(?! (?:love|like|prefer|rather)\b)", _I)
_BOAST = re.compile(
    r"\bI(?:'m| am) (?:basically |practically |literally )?(?:an? )?"
    r"(?:billionaire|trillionaire|superman|batman|superhero|god|the (?:king|queen|god) of)\b",
    _I,
)
_QUOTED = re.compile(r"[\"“„«]([^\"”“»]+)[\"”“»]")
_WHOLLY_QUOTED = re.compile(r"^[\"“„«][^\"”“»]+[\"”“»]\W*$")
_HEARSAY = re.compile(
    r"\b(?:he|she|they|people|everyone|someone|somebody|[A-Z]\w+|my \w+|the \w+) "
    r"(?:said|says|told|tells|claims|claimed|mentioned|heard|thinks|believes|reckons|suggested)\b|"
    r"\b(?i:apparently|supposedly|allegedly|rumou?r has it|i (?:heard|read) that)\b",
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|i guess|i think|i suppose|not sure|might|kind of|sort of|seems?|apparently|"
    r"presumably|i believe|as far as i know)\b",
    _I,
)
_CHANGE = re.compile(
    r"\b(?:now|nowadays|these days|no longer|anymore|any more|not any longer|switch(?:ed|ing)?|moved|instead|recently|"
    r"used to|stopped|gave up|given up|quit|changed|updated|from now on|new|started|became|not (?:\w+ )?since|lately|"
    r"(?:increased|improved|extended|reduced|raised|cut) to|reached|additional|finally|again)\b",
    _I,
)
_COURTESIES = (
    r"(?:talk|see|speak|catch) (?:to )?(?:you|ya)",
    r"(?:bye|take care|stay safe|no worries|no problem|way to go)\b",
    r"(?:me too|same here|take a look|let me know|congrat\w*)\b",
    r"you(?:'re| are) (?:right|welcome|the best)",
    r"good (?:luck|job|for you)",
    r"keep (?:it up|up|going)",
    r"(?:check (?:it|this|out)|look at (?:this|that))\b",
    r"(?:i )?hope (?:you|your|all|that helps|it helps)\b",
    r"i(?:'m| am) (?:always )?here for you",
    r"i appreciate (?:it|that|you|your|the)\b",
    r"i (?:can't|cannot) wait\b",
    r"i(?:'m| am) (?:so |really |super )?(?:glad|sorry|happy|proud) (?:to hear|you\b|(?:of|for|that) you|about your)",
    r"i(?:'m| am) sorry\b",
    r"(?:so |really |super )?glad\b",
    r"(?:i )?(?:totally |completely |couldn't )?agree\b",
    r"sounds? (?:like|great|good|amazing)\b",
    r"that(?:'s| is| was| sounds| must) (?!my\b|our\b)",
    r"here(?:'s| is| are|'re|) ",
    r"(?:i bet|thanks?|thank you|we got this|i know what you mean|it means a lot)\b",
    r"don't (?:forget|worry|hesitate)\b",
    r"(?:you know|i see|i'm in|i am in|i'm all ears)\W*$",
    r"(?:your|the) (?:support|kind words|words|encouragement)[^.]* means?\b",
    r"(?:i )?love (?:it|that|this)\W*$",
    r"(?:what|how) (?:a|an|about)\b",
    r"so (?:cool|fun|sweet|true)\b",
)
_PHATIC = re.compile("|".join(_COURTESIES), _I)
_MEANS_A_LOT = re.compile(r"\bmeans? (?:a lot|so much|the world)\b|\bi got your back\b|\byou got this\b", _I)
_LET_US = re.compile(
    r"(?:let's|let us|let me|please|feel free|don't (?:forget|worry|hesitate)|make sure|remember to)\b", _I
)


def is_question(sentence: str) -> bool:
    """Whether something is asked, with or without its mark."""
    return sentence.rstrip("\"') ").endswith("?") or bool(_ASKS.match(sentence))


def is_negated(sentence: str) -> bool:
    """Whether the sentence denies something."""
    return bool(_NEGATION.search(sentence))


def is_negated_in_german(clause: str) -> bool:
    """The same of a German clause."""
    return _GERMAN_NEGATION.search(clause) is not None


def is_hypothetical(sentence: str) -> bool:
    """Whether it opens a condition, a wish or a supposition instead of asserting."""
    return bool(_HYPOTHESIS.match(sentence))


def is_conditional(sentence: str) -> bool:
    """Whether what it says depends on a condition named anywhere in it."""
    return bool(_CONDITION.search(sentence))


def is_unreal(sentence: str) -> bool:
    """Whether its verb says would, could, might, should, may or must ("would love" and "would like" are wants)."""
    return bool(_MODAL.search(sentence))


def is_boast(sentence: str) -> bool:
    """Whether its speaker claims to be what nobody is: neither it nor what is offered in the same breath is meant."""
    return bool(_BOAST.search(sentence))


def is_hearsay(sentence: str) -> bool:
    """Whether somebody else's assertion is reported."""
    return bool(_HEARSAY.search(sentence))


def is_hedged(sentence: str) -> bool:
    """Whether the speaker is not sure."""
    return bool(_HEDGE.search(sentence))


def is_phatic(sentence: str) -> bool:
    """Whether it only keeps the talk going: greetings, sympathy, applause."""
    return bool(_PHATIC.match(sentence) or _MEANS_A_LOT.search(sentence))


def is_proposal(sentence: str) -> bool:
    """Whether it urges instead of asserting: let's, please, make sure."""
    return bool(_LET_US.match(sentence))


def has_change_cue(sentence: str) -> bool:
    """Whether a word of change stands in it: now, no longer, switched, moved, instead."""
    return bool(_CHANGE.search(sentence))


def without_quotations(sentence: str) -> str:
    """Without quoted speech: a quotation that starts with a pronoun or a small letter; titles stay."""
    return _QUOTED.sub(lambda match: "" if _spoken(match.group(1)) else match.group(), sentence)


_STOPS = str.maketrans({".": "\ue000", "!": "\ue001", "?": "\ue002", "\n": "\ue003", "…": "\ue004"})
_RESTORED = str.maketrans({"\ue000": ".", "\ue001": "!", "\ue002": "?", "\ue003": "\n", "\ue004": "…"})


def quotations_masked(text: str) -> str:
    """The text with the stops within its quotations, but the last, out of a splitter's sight; `unmasked` undoes it."""
    return _QUOTED.sub(lambda match: match.group()[:-2].translate(_STOPS) + match.group()[-2:], text)


def unmasked(text: str) -> str:
    """What `quotations_masked` took away, given back."""
    return text.translate(_RESTORED)


def is_quotation(sentence: str) -> bool:
    """Whether little more than quoted speech is there."""
    if _WHOLLY_QUOTED.match(sentence) and len(sentence.split()) > 2:
        return True
    return len(without_quotations(sentence).split()) < 3 <= len(sentence.split()) and bool(_QUOTED.search(sentence))


def _spoken(words: str) -> bool:
    several = len(words.split()) > 2
    return (several and (words[:1].islower() or bool(re.search(r"[,.!?] I(?:'\w+)? ", words)))) or bool(
        re.match(r"(?:I|I'm|I've|I'd|I'll|You|You're|He|She|We|We're|They|It|It's|My|Your)\b", words)
    )
