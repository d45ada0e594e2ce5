"""Two invented lives, one in English and one in German, and what a stranger would ask about them by event.

`WRITTEN_FIRST` was written before the calendar was built, and nothing of it was chosen with them in sight.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """A line of a life: its name, the day it was said, and the words."""

    name: str
    day: str
    text: str
    speaker: str = "Ann"


@dataclass(frozen=True)
class About:
    """A question and the lines that answer it."""

    text: str
    gold: tuple[str, ...]
    life: str = "en"


ENGLISH = tuple(
    Said(*line)
    for line in (
        ("acme", "2025-01-10", "I started my new job at Acme today."),
        ("priya", "2025-01-10", "I had lunch with Priya in the canteen."),
        ("oskar", "2025-01-24", "I met Oskar from the sales team."),
        ("course", "2025-02-03", "I finished the onboarding course."),
        ("skiing", "2025-02-15", "I went skiing with Tom."),
        ("camera", "2025-03-01", "I bought a new camera."),
        ("plan", "2025-03-01", "I'm planning a visit to Lisbon in April."),
        ("clara", "2025-03-20", "I met Clara at the book club."),
        ("photos", "2025-03-25", "Anna is working on a photo book."),
        ("flew", "2025-04-04", "I flew to Lisbon this morning."),
        ("tiles", "2025-04-06", "I visited the tile museum and ate custard tarts."),
        ("singer", "2025-04-08", "I met a fado singer called Amalia."),
        ("tram", "2025-04-10", "I took the tram up to the castle and lost my sunglasses."),
        ("back", "2025-04-12", "I flew back from Lisbon yesterday."),
        ("plants", "2025-04-13", "I watered all the plants, they survived."),
        ("jonas", "2025-04-25", "I met Jonas at the climbing gym."),
        ("viewing", "2025-05-10", "We looked at a flat with a balcony."),
        ("piano", "2025-05-17", "I sold my old piano to a colleague."),
        ("boxes", "2025-05-24", "I packed forty boxes of books."),
        ("moved", "2025-05-31", "I moved to Karlsruhe today."),
        ("kitchen", "2025-06-07", "I painted the kitchen yellow."),
        ("irina", "2025-06-20", "I met Irina, my new neighbour."),
        ("ligament", "2025-07-05", "I tore a ligament playing handball."),
        ("surgery", "2025-07-14", "I had knee surgery this morning."),
        ("novels", "2025-07-18", "I read three crime novels on the sofa."),
        ("marek", "2025-07-25", "Marek visited me and brought soup."),
        ("lena", "2025-08-05", "I met Lena, my physiotherapist."),
        ("recovered", "2025-08-20", "I'm fully recovered, the doctor says."),
        ("running", "2025-08-30", "I ran five kilometres along the river."),
        ("wedding", "2025-09-06", "My sister Eva got married today."),
        ("cake", "2025-09-20", "I baked a plum cake for the office."),
        ("tom", "2025-10-04", "Tom moved to Oslo."),
        ("berlin", "2025-10-10", "Anna moved to Berlin for three months."),
        ("film", "2025-10-25", "Anna is working on a film about bees."),
        ("cutting", "2025-11-20", "Anna is cutting her film now."),
        ("choir", "2025-12-05", "I joined a choir."),
        ("returned", "2026-01-10", "Anna came back from Berlin."),
        ("play", "2026-01-20", "Anna is working on a radio play."),
        ("sofa", "2026-01-22", "I read a cookbook on the sofa."),
    )
)

GERMAN = tuple(
    Said(*line, speaker="Jana")
    for line in (
        ("stelle", "2025-01-13", "Ich habe heute bei Nordlicht angefangen."),
        ("kantine", "2025-01-20", "Ich war mit Birgit in der Kantine."),
        ("fahrrad", "2025-03-08", "Ich habe ein neues Fahrrad gekauft."),
        ("klavier", "2025-04-05", "Ich habe das alte Klavier verkauft."),
        ("kisten", "2025-04-12", "Ich habe vierzig Kisten gepackt."),
        ("umzug", "2025-04-19", "Ich bin heute nach Freiburg umgezogen."),
        ("kueche", "2025-04-26", "Ich habe die Küche gelb gestrichen."),
        ("nachbar", "2025-05-10", "Ich habe Herrn Falk im Treppenhaus kennengelernt."),
        ("abflug", "2025-06-14", "Ich bin heute Morgen nach Madeira geflogen."),
        ("levada", "2025-06-17", "Ich bin an einer Levada entlang gewandert."),
        ("korb", "2025-06-19", "Ich bin im Korbschlitten gefahren."),
        ("rueckflug", "2025-06-22", "Ich bin gestern aus Madeira zurückgeflogen."),
        ("wandern", "2025-07-20", "Ich bin im Schwarzwald gewandert."),
        ("operation", "2025-09-01", "Ich hatte heute meine Operation am Knie."),
        ("krimis", "2025-09-08", "Ich habe drei Krimis gelesen."),
        ("physio", "2025-09-22", "Ich habe Lena, meine Physiotherapeutin, kennengelernt."),
        ("hochzeit", "2025-10-11", "Meine Schwester Eva hat heute geheiratet."),
        ("kuchen", "2025-10-25", "Ich habe einen Pflaumenkuchen gebacken."),
    )
)

WRITTEN_FIRST = (
    About("What did I do during my trip to Lisbon?", ("tiles", "singer", "tram")),
    About("Who did I meet during the Lisbon trip?", ("singer",)),
    About("What did I lose while I was in Lisbon?", ("tram",)),
    About("What happened two weeks before the move?", ("piano",)),
    About("What did I do a week before I moved to Karlsruhe?", ("boxes",)),
    About("Who did I meet after the surgery?", ("lena",)),
    About("Who did I meet after I moved to Karlsruhe?", ("irina", "lena")),
    About("What did I read after my knee surgery?", ("novels", "sofa")),
    About("What was Anna working on while she was in Berlin?", ("film", "cutting")),
    About("What did Anna work on before she moved to Berlin?", ("photos",)),
    About("Who have I met since I started at Acme?", ("oskar", "clara", "singer", "jonas", "irina", "lena")),
    About("What did I bake between the wedding and Anna's move to Berlin?", ("cake",)),
    About("What happened between the move and the surgery?", ("kitchen", "irina", "ligament")),
    About("What did I do in the week after the surgery?", ("novels",)),
    About("What did I do the week after the move?", ("kitchen",)),
    About("Who visited me during my recovery?", ("marek",)),
    About("What did I finish three weeks after I started at Acme?", ("course",)),
    About("What did I do until the trip to Lisbon?", ("course", "skiing", "camera", "clara")),
    About("What did we look at a few weeks before the move?", ("viewing",)),
    About("What sport did I do before the surgery?", ("ligament", "skiing", "jonas")),
    About("Was habe ich zwei Wochen vor dem Umzug gemacht?", ("klavier",), "de"),
    About("Was habe ich während der Reise nach Madeira gemacht?", ("levada", "korb"), "de"),
    About("Wen habe ich nach der Operation kennengelernt?", ("physio",), "de"),
    About("Was habe ich eine Woche nach dem Umzug gestrichen?", ("kueche",), "de"),
)

WRITTEN_LATER = (
    About("During my trip to Lisbon, what did I visit?", ("tiles",)),
    About("Where did I go on my Lisbon trip?", ("tiles", "tram")),
    About("What happened in the month after the wedding?", ("cake", "tom")),
    About("Who came to see me while I was recovering?", ("marek",)),
    About("What had I bought before I flew to Lisbon?", ("camera",)),
    About("What did I sell shortly before the move?", ("piano",)),
    About("After the move, who did I get to know?", ("irina", "lena")),
    About("What did I do in the two weeks before the move?", ("piano", "boxes")),
    About("What did I paint after moving to Karlsruhe?", ("kitchen",)),
    About("What did Anna do after she came back from Berlin?", ("play",)),
    About("Tell me what happened during my time off after the operation", ("novels", "marek", "lena")),
    About("Which books did I read during my recovery?", ("novels",)),
    About("What did I do six weeks after the surgery?", ("running",)),
    About("Did I meet anybody in the week of the Lisbon trip?", ("singer",)),
    About("What did I do two months after the wedding?", ("film", "cutting")),
    About("What have I joined since the wedding?", ("choir",)),
    About("What did I do between my trip to Lisbon and the move?", ("plants", "jonas", "viewing", "piano", "boxes")),
    About("Who had I met before the trip to Lisbon?", ("oskar", "clara", "priya")),
    About("Was ist in der Woche vor dem Umzug passiert?", ("kisten",), "de"),
    About("Was habe ich gelesen, nachdem ich operiert wurde?", ("krimis",), "de"),
    About("Wo bin ich gewandert, als ich auf Madeira war?", ("levada",), "de"),
    About("Was habe ich im Urlaub auf Madeira gemacht?", ("levada", "korb"), "de"),
    About(
        "Was habe ich zwischen dem Umzug und der Operation gemacht?",
        ("kueche", "nachbar", "abflug", "levada", "korb", "rueckflug", "wandern"),
        "de",
    ),
    About("Was habe ich seit der Hochzeit gebacken?", ("kuchen",), "de"),
)
"""Written once the first rules stood; weights were chosen on these."""

NOT_BY_EVENT = (
    "What did I do during my trip to Paris?",
    "What do I eat after running?",
    "Who looks after the plants?",
    "What did I do after that?",
    "What did I buy after work?",
    "How long after the move was the surgery?",
    "Have I been to Lisbon before?",
    "Who is Tom?",
    "When was the wedding?",
)
"""No event is named in these, or none that is known, and no time: they are answered as if there were no calendar."""
