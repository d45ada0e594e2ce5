"""Which language words are in, where nobody said: English and German, told apart by their commonest words.

Words that both write alike (die, was, war, also, man) tell nothing and are left out.
"""

from __future__ import annotations

import re

from memory.words.vocabulary import words

_GERMAN = words(
    "ich nicht und der das ist ein eine einen einem einer mein meine meinen meiner mit auf für wir du er sie es zu zum "
    "zur nach bei beim von vom aus aber auch noch schon jetzt habe hab hast haben bin bist sind kein keine keinen dass "
    "wie wenn weil oder doch mal ja nein gern sehr immer jeden jede seit heute morgen gestern dir mir mich dich ihr "
    "ihn "
    "als lieber mag sag wird wurde hier hat hatte im den dem des ins uns unser unsere wieder nur dann kann muss geht "
    "gibt "
    "bis über vor ohne gegen durch weil denn dein deine kommt heißt macht alles nichts"
)
_SPEECH = words(
    "wohne wohnst wohnt gewohnt lebe lebst lebt arbeite arbeitest arbeitet gearbeitet liebe liebst liebt hasse hasst "
    "trinke trinkst trinkt isst esse gegessen spiele spielst spielt spreche sprichst spricht lese liest koche kaufe "
    "kauft gekauft verkauft fahre fährt gehe lerne lernt tanze tanzt rauche raucht schläft läuft braucht nimmt trifft "
    "hilft zieht gezogen besucht studiert schreibt schwimmt sucht sammelt bleibt steht liegt findet glaubt verheiratet "
    "inzwischen mittlerweile früher jahr jahre jahren monaten wochen täglich abends morgens manchmal meistens ziemlich "
    "zusammen wirklich natürlich vielleicht deshalb trotzdem neuerdings heuer ist schwester bruder "
    "tochter sohn freundin kollege kollegin chefin geburtstag"
)
"""Everyday verbs, adverbs and kin that no neighbouring language writes alike; a short sentence may have no other."""
_NEIGHBOURS = words(
    "ik jij wij zij niet maar dat het een voor zijn naar bij mijn heb heeft wordt geen woont werkt houdt og jeg det "
    "til har hvor af som ikke på ett och är jag inte att hun han hon min din"
)
"""Dutch and Scandinavian words."""
_SHARED = words("der den er du des hier im")
"""German words that those languages write alike: alone they show nothing."""
_ENGLISH = words(
    "i the and is are was were you my me to of it that this have has had not with for on at be been do did does but "
    "she "
    "he we they a an from i'm it's don't so just"
)
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")


def is_german(text: str, language: str | None = None) -> bool:
    """Whether the words are German: as told, or by their commonest words, of which no other language has as many."""
    if language:
        return language.lower().startswith("de")
    found = _WORD.findall(text.lower())
    told = [word for word in found if word in _GERMAN or word in _SPEECH]
    german = 0 if _SHARED.issuperset(told) else len(told)
    others = sum((word in _ENGLISH) + 2 * (word in _NEIGHBOURS) for word in found)
    return german > others and (
        german > 1
        or "ich" in found
        or any(letter in text for letter in "äöüßÄÖÜ")
        or german >= len(found) / (3 if _SPEECH.isdisjoint(told) else 5)
    )


def is_common(word: str) -> bool:
    """Whether a folded word is one of those by which the two are told apart."""
    return word in _GERMAN or word in _ENGLISH
