"""What took a fact's place, and what was before it."""

from memory.services.known import KnownFact, holds, is_ahead, replaced_by


def test_what_took_a_place_tells_what_was_before_it_the_latest_first() -> None:
    ghent, faro = "Nora lives in Ghent", "Nora lives in Faro"
    first = KnownFact("f-1", "Nora lives in Antwerp", 0.0, 5.0, "superseded", ghent, "lives_in", subject="Nora")
    past = KnownFact("f-2", "Nora lives in Porto", 5.0, 10.0, "superseded", ghent, "lives_in", subject="Nora")
    other = KnownFact("f-3", "Nora lives in Bergen", 6.0, 10.0, "superseded", faro, "lives_in", subject="Nora")
    now = KnownFact("f-4", ghent, 10.0, predicate="lives_in", subject="Nora")
    assert replaced_by(now, [first, past, other, now]) == [past, first]


def test_what_is_due_or_holds_until_a_day_ahead_is_not_over() -> None:
    owed = KnownFact("f-1", "Nora told Felix Nora would pay him back by June", 1.0, 10.0)
    assert not holds(owed)
    assert holds(KnownFact("f-1", owed.statement, 1.0, 10.0, ahead=is_ahead(10.0, 9.0)))
    assert not is_ahead(10.0, 10.0)
    assert not is_ahead(None, 10.0)
    gone = KnownFact("f-2", "Nora lives in Ghent until June", 1.0, 10.0, "invalidated", ahead=True)
    assert not holds(gone), "what was never so is not so until then"
