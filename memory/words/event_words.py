"""Words of events: by which words a kind of event is asked for, by which it is told, and by which its end.

English and German, as they are said: stems are taken later. What has no row here is known by its own words alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.words.vocabulary import words


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of event. A question that holds an `asks` is answered by statements that hold one of `asks` or `tells`.

    `places` tell it only before a word of the question's own (is in Lisbon, for a trip to Lisbon). `ends` tell that it
    is over. `days` is how long it lasts where nobody said: 1 for a moment, 0 for until its end is told.
    """

    asks: frozenset[str]
    tells: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    days: int = 1

    @property
    def alone(self) -> frozenset[str]:
        """Words that tell it by themselves."""
        return self.asks | self.tells


_HEALED = words("recovered healed discharged healthy genesen gesund entlassen geheilt")
_HARM = words(
    "surgery operation operated op operiert accident unfall injury injured broke broken tore fracture hospital "
    "krankenhaus stroke ill illness sick flu covid pneumonia fever krank krankheit grippe concussion"
)

STAY = Kind(
    words(
        "trip vacation vacations holiday holidays visit stay tour getaway honeymoon travels travelling traveling "
        "reise urlaub ferien aufenthalt besuch flitterwochen"
    ),
    words("flew travelled traveled travel flight trips vacationing geflogen flog verreist gereist reiste abgereist"),
    words("in at to visit visited visits visiting nach besucht besuchte"),
    words("back returned returning return home zurück zurückgeflogen zurückgekehrt zurückgekommen heimgekehrt"),
    7,
)
"""A trip lasts a week where nobody came back: what a holiday usually takes."""

KINDS = (
    STAY,
    Kind(
        words("move moving moved relocation relocated umzug umgezogen umziehen einzug eingezogen"),
        words("relocating zog gezogen"),
    ),
    Kind(words("wedding marriage married marry hochzeit heirat geheiratet trauung"), words("marrying bride heiratete")),
    Kind(words("surgery operation operated op operiert"), words("operiere")),
    Kind(words("accident crash unfall"), words("crashed collided verunglückt")),
    Kind(
        words("recovery recovering rehab convalescence genesung erholung reha"), _HARM, ends=_HEALED, days=42
    ),  # six weeks: how long sick leave after an operation usually lasts
    Kind(words("illness sickness ill sick flu covid pneumonia fever krankheit krank grippe"), ends=_HEALED, days=14),
    Kind(
        words("job started start joined joining hired stelle job angefangen anfing begonnen"),
        words("works working employed employment arbeitet arbeite eingestellt"),
        ends=words("quit left resigned fired retired laid gekündigt verlassen aufgehört"),
        days=0,
    ),
    Kind(words("birth born geburt geboren"), words("gave delivered entbunden")),
    Kind(words("pregnancy pregnant schwangerschaft schwanger"), ends=words("birth born geburt geboren"), days=270),
    Kind(words("divorce divorced scheidung geschieden"), words("separated getrennt")),
    Kind(words("breakup breaking trennung getrennt"), words("broke split separated")),
    Kind(words("graduation graduated graduating abschluss"), words("degree diploma graduate")),
    Kind(words("funeral beerdigung begräbnis"), words("buried beerdigt")),
    Kind(words("death died passing tod gestorben"), words("passed starb verstorben")),
    Kind(words("engagement engaged verlobung verlobt"), words("proposed")),
    Kind(words("interview vorstellungsgespräch bewerbungsgespräch"), words("interviewed")),
    Kind(words("birthday geburtstag"), words("turned")),
)
"""Rows in which a word is looked for, the first that holds it."""

BY_WORD = {word: kind for kind in reversed(KINDS) for word in kind.asks}

LIGHT = words(
    "came come went go going gone got get getting had been happened first last again finally still new time "
    "time's thing one recent past current conversation conversations discussion chat chats period "
    "ich du er sie es wir ihr mein meine meiner meinem meinen dein deine sein seine seiner seinem ihre ihrer ihrem "
    "unser unsere unserer unserem der die das dem den des ein eine einer einem einen bin bist ist sind war waren "
    "habe hat haben hatte hatten wurde worden in im an am auf bei zu zum zur von vom nach aus mit und neu neue neuen"
)
"""Words of an anchor that tell nothing of the event, beside stop words."""

VAGUE = words(
    "happen happened do doing done did go went going thing things else anything everything something all activities "
    "tell told list show summarize summarise summary recap describe events people say said mention mentioned talk "
    "talked chat chatted speak spoke spoken discuss discussed conversation conversations remember remind know news new "
    "get got getting come came been life day days please main important overview "
    "was wer wen wem wo wie worüber ist habe hast hat haben habt hatte hatten bin bist war waren wart wurde gab ging "
    "ich du er sie es wir ihr man mir mich uns der die das den dem des ein eine einen und oder über von mit bei an am "
    "im in zu auf so da mal noch denn sonst los passiert geschah geschehen gemacht getan unternommen erlebt gewesen "
    "erzähl erzähle erzählt sag sage gesagt gesprochen geredet unterhalten besprochen diskutiert fass zusammen alles "
    "etwas neues wichtiges bitte since vor nach seit bis"
)
"""Words of a question that ask for whatever there is."""
