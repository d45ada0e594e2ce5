"""The 120 days of seed 000: what Rajesh says of coffee, tea and a coffee shop, and what must be so on which day.

Days, numbers of episodes and tiers are the seed's, corrected where it errs (decision 0061, 3). The words
are ours, put so that rules without a language model can read them. Talks are held at noon: a strength is that of noon,
a tier that of the night which closes the day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from bench.life import DatedQuestion, Invented, LifeSource

OWNER, ZONE = "Rajesh", "Asia/Kolkata"
START = date(2026, 1, 5)
DAYS = 120
NOON = 12


def _said(day: int, *lines: str, listener: str = "Priya", reply: str = "Really?") -> LifeSource:
    return LifeSource(f"story-{day:03}", day, NOON, (*((OWNER, line) for line in lines), (listener, reply)))


TALKS = (
    _said(0, "I found a lovely new coffee shop in Koramangala. I like coffee.", listener="Dev"),
    _said(3, "I like coffee, shall we go there at the weekend?", reply="Sounds good."),
    _said(8, "The coffee shop in Koramangala is seriously good. I love coffee.", listener="Dev"),
    _said(14, "I met Dev at the coffee shop in Koramangala. I love coffee."),
    _said(19, "I really enjoy coffee after lunch.", listener="Dev"),
    _said(24, "I like coffee on a rainy day.", reply="So do I."),
    _said(29, "I walked home through Koramangala.", listener="Dev"),
    _said(35, "I like coffee on the way to work.", listener="Dev"),
    _said(95, "I gave up coffee because it was giving me headaches. I don't like coffee anymore. I switched to tea."),
    _said(98, "I drink tea every morning. I love tea.", listener="Dev"),
    _said(101, "I enjoy tea in the evening.", reply="Good for you."),
)
CLOSING = (
    DatedQuestion(DAYS, "Do I like coffee?", ("coffee", "tea", "headaches", "10 April 2026")),
    DatedQuestion(DAYS, "Where is that cafe?", ("Koramangala",)),
    DatedQuestion(DAYS, "What do I drink lately?", ("tea",)),
)
"""Seed 000's closing questions; an answer must hold all of these words."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What must be so of one entity on one day; `episodes` are distinct sessions."""

    day: int
    name: str
    type: str
    tier: str
    strength: float
    episodes: int
    contradicted: bool = False

    @property
    def mark(self) -> str:
        """The statement of seed 000 this belongs to."""
        return f"000:story.day_{self.day}"


CHECKPOINTS = (
    Checkpoint(0, "coffee", "topic", "L0", 1.0, 1),
    Checkpoint(0, "Koramangala", "place", "L0", 1.0, 1),
    Checkpoint(3, "coffee", "topic", "L0", 1.0, 2),
    Checkpoint(8, "coffee", "topic", "L1", 1.0, 3),
    Checkpoint(35, "coffee", "topic", "L1", 1.0, 7),
    Checkpoint(62, "coffee", "topic", "L1", 0.536, 7),
    Checkpoint(91, "coffee", "topic", "L1", 0.274, 7),
    Checkpoint(91, "Koramangala", "place", "L2", 0.3, 4),
    Checkpoint(95, "coffee", "topic", "L1", 1.0, 8, contradicted=True),
    Checkpoint(95, "tea", "topic", "L0", 1.0, 1),
    Checkpoint(120, "coffee", "topic", "L1", 0.561, 8, contradicted=True),
    Checkpoint(120, "tea", "topic", "L1", 0.645, 3),
    Checkpoint(120, "Koramangala", "place", "L2", 0.3, 4),
    Checkpoint(120, "coffee shop", "place", "L2", 0.3, 3),
)
"""Day 62 is 2^(-27/30), day 91 2^(-56/30), day 120 2^(-25/30) for coffee and 2^(-19/30) for tea."""
TOLERANCE = 0.0005
"""Strengths agree to three places."""


def story() -> Invented:
    """The story alone."""
    return Invented(OWNER, ZONE, START, DAYS, TALKS, (), CLOSING)
