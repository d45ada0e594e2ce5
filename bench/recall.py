"""`memoray bench recall`: how much of what answers a question is found, how fast, and what that costs.

Every conversation becomes the memory of a user of its own, `bench-<conversation id>`, through POST /v1/sources; every
question goes through GET /v1/context with `cut=none`, so that abstaining cannot shorten a ranking, and
`record_access=false`, so that one question does not change what the next one finds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from statistics import median
from time import perf_counter

from bench.conversations import Conversation, GoldQuestion
from bench.measure import (
    AnswerMeasurement,
    ApiClient,
    Site,
    Spread,
    ask,
    await_done,
    memories,
    pending,
    post_all,
    timed,
)
from bench.metrics import SEPARATE, percentages, scores
from memory.model.timeline import to_datetime
from memory.retrieval.batches import dense_text, local_date
from memory.services.vectors import BATCH

RESULTS = 50
"""Results asked for: the most the front door gives; deeper than the deepest metric, so that nothing is cut."""
SAMPLED_BATCHES = 5
"""Batches that the bare encoder is timed with, of segments drawn from all that were sent: every second or fourth turn
would be one side's alone, of a dialogue, and an assistant's are ten times as long."""
WARM_UP = 3
"""Questions of each conversation asked before any is timed: the first one makes the memory come alive."""
HEADLINES = ("recall@5", "recall@10", "recall@20", "mrr", "ndcg@10", "any@10", "both_sides@10")


@dataclass(frozen=True, slots=True)
class RecallRow:
    """The result of one run. Scores are in percent, over all questions but those of the categories in SEPARATE."""

    dataset: str
    labels: str
    questions: int
    """Questions in the overall figure."""
    overall: Mapping[str, float]
    categories: Mapping[str, Mapping[str, float]]
    """Scores by category, the separate ones included, each with its number of `questions`."""
    http: Spread
    """GET /v1/context, all questions."""
    encoder_p50_ms: float
    """Encoding the same questions, in the same run, without anything around it."""
    segments: int
    text_per_s: float
    """Segments a second from the first POST until the words of the last can be found."""
    vectors_per_s: float
    """Segments a second from the first POST until all can be found by meaning."""
    encoder_per_s: float
    """Segments a second of the same talk that the encoder alone takes, with nothing around it."""
    pss_mb: float
    pending: Mapping[str, int]
    """Work that was left when the questions began."""
    degraded: int
    """Questions that were answered without one of the legs; their scores count."""
    nights: int = 0
    """Nights that were run afterwards, from the day after the last question on."""
    after_nights: Mapping[str, float] = field(default_factory=dict)
    """The overall figures once more, after those nights: the same questions, asked as of the same moments."""

    def cells(self) -> dict[str, str]:
        """The one row, column by column."""
        left = ", ".join(f"{kind} {count}" for kind, count in self.pending.items() if count)
        return {
            "set": self.dataset if self.labels == "evidence" else f"{self.dataset} ({self.labels})",
            "questions": str(self.questions),
            **_headlines(self.overall),
            "p50 / p95 ms": f"{self.http.p50_ms:.1f} / {self.http.p95_ms:.1f}",
            "encoder p50 ms": f"{self.encoder_p50_ms:.1f}",
            "segments/s text / vectors": f"{self.text_per_s:.0f} / {self.vectors_per_s:.1f}",
            "encoder segments/s": f"{self.encoder_per_s:.1f}",
            "PSS MB": f"{self.pss_mb:.0f}",
            "pending": left or "nothing",
            "degraded": str(self.degraded),
            **{f"{name} after {self.nights} nights": f"{self.after_nights[name]:.1f}" for name in self._after()},
        }

    def _after(self) -> list[str]:
        return [name for name in ("recall@5", "recall@10", "recall@20") if name in self.after_nights]

    def category_cells(self) -> list[dict[str, str]]:
        """A row a category; those kept out of the overall figure come last and are marked."""
        order = sorted(self.categories, key=lambda name: (name in SEPARATE, name))
        return [
            {
                "category": f"{name} (separate)" if name in SEPARATE else name,
                "questions": f"{self.categories[name]['questions']:.0f}",
                **_headlines(self.categories[name]),
            }
            for name in order
        ]


def _headlines(figures: Mapping[str, float]) -> dict[str, str]:
    return {name: f"{figures[name]:.1f}" if name in figures else "-" for name in HEADLINES}


@dataclass(frozen=True, slots=True)
class _Loaded:
    """How fast the segments went in."""

    segments: int
    text_s: float
    vectors_s: float


def measure_recall(
    conversations: Sequence[Conversation],
    site: Site,
    labels: str,
    *,
    wait: str = "extraction",
    nights: int = 0,
    keep: bool = False,
) -> RecallRow:
    """Ingest, wait for embedding or also for extraction, ask, score, and remove what was ingested unless it is kept.

    With `nights`, so many are run in every memory after the questions, which are then asked again.
    Raises DomainError if the system refuses a request, does not answer, or does not get on.
    """
    users = {f"bench-{conversation.id}": conversation for conversation in conversations}
    with memories(site, list(users), keep=keep) as doors:
        loaded = _load(users, doors, site, wait)
        left = pending(doors)
        answered = _ask_all(users, doors, site)
        pss_mb = site.pss_bytes() / 1e6
        again = _after_nights(users, doors, site, nights) if nights else []
    counted = _counted(answered)
    return RecallRow(
        dataset="+".join(dict.fromkeys(conversation.dataset for conversation in conversations)),
        labels=labels,
        questions=len(counted),
        overall=percentages(counted),
        categories=_categories(answered),
        http=Spread.of([answer.http_ms for _, answer in answered]),
        encoder_p50_ms=median(answer.encoder_ms for _, answer in answered),
        segments=loaded.segments,
        text_per_s=loaded.segments / loaded.text_s,
        vectors_per_s=loaded.segments / loaded.vectors_s,
        encoder_per_s=_encoder_rate(conversations, site),
        pss_mb=pss_mb,
        pending=left,
        degraded=sum(answer.degraded for _, answer in answered),
        nights=nights,
        after_nights=percentages(_counted(again)) if again else {},
    )


def _load(users: Mapping[str, Conversation], doors: Mapping[str, ApiClient], site: Site, wait: str) -> _Loaded:
    deliveries = [(doors[user], body) for user, conversation in users.items() for body in conversation.bodies]
    started = perf_counter()
    text_s = post_all(site, deliveries)
    await_done(site, doors, ("embedding",))
    vectors_s = perf_counter() - started
    if wait == "extraction":
        await_done(site, doors, ("extraction",))
    return _Loaded(sum(conversation.segments for conversation in users.values()), text_s, vectors_s)


def _encoder_rate(conversations: Sequence[Conversation], site: Site) -> float:
    """Segments a second of the encoder alone, on the words the worker gives it, when the system has nothing to do."""
    said = [
        dense_text(each["speaker"], local_date(body["started_at"], 0), each["text"])
        for talk in conversations
        for body in talk.bodies
        for each in body["segments"]
    ]
    sample = Random(0).sample(said, min(len(said), SAMPLED_BATCHES * BATCH))
    batches = [sample[start : start + BATCH] for start in range(0, len(sample), BATCH)]
    site.encode_heard(batches[0][:1])  # the model is loaded
    _, spent_ms = timed(lambda: [site.encode_heard(batch) for batch in batches])
    return len(sample) / spent_ms * 1000


def _after_nights(
    users: Mapping[str, Conversation], doors: Mapping[str, ApiClient], site: Site, nights: int
) -> list[tuple[GoldQuestion, AnswerMeasurement]]:
    """Read everything, run the nights after the last question, and ask all questions again."""
    await_done(site, doors, ("extraction",))
    for done, (user, conversation) in enumerate(users.items()):
        last = to_datetime(max(question.at for question in conversation.questions)).date()
        for number in range(1, nights + 1):
            doors[user].post("/v1/night", {"night": str(last + timedelta(days=number))})
            site.tell("Running nights", done * nights + number, len(users) * nights)
    return _ask_all(users, doors, site)


def _ask_all(
    users: Mapping[str, Conversation], doors: Mapping[str, ApiClient], site: Site
) -> list[tuple[GoldQuestion, AnswerMeasurement]]:
    answered: list[tuple[GoldQuestion, AnswerMeasurement]] = []
    total = sum(len(conversation.questions) for conversation in users.values())
    for user, conversation in users.items():
        for question in conversation.questions[:WARM_UP]:
            _ask(site, doors[user], question)
        for question in conversation.questions:
            answered.append((question, _ask(site, doors[user], question)))
            site.tell("Asking questions", len(answered), total)
    return answered


def _ask(site: Site, door: ApiClient, question: GoldQuestion) -> AnswerMeasurement:
    return ask(site, door, question.text, now=question.at, limit=RESULTS, cut="none", record_access=False)


def _counted(answered: Sequence[tuple[GoldQuestion, AnswerMeasurement]]) -> list[dict[str, float]]:
    """Scores of the questions that make up the overall figure."""
    return [_scores(*pair) for pair in answered if pair[0].category not in SEPARATE]


def _categories(answered: Sequence[tuple[GoldQuestion, AnswerMeasurement]]) -> dict[str, dict[str, float]]:
    names = sorted({question.category for question, _ in answered})
    return {name: _category(answered, name) for name in names}


def _category(answered: Sequence[tuple[GoldQuestion, AnswerMeasurement]], name: str) -> dict[str, float]:
    rows = [_scores(*pair) for pair in answered if pair[0].category == name]
    return {"questions": float(len(rows)), **percentages(rows)}


def _scores(question: GoldQuestion, answer: AnswerMeasurement) -> dict[str, float]:
    return scores(answer.found, question.gold, question.roles)
