"""Filters of what was heard by the provenance of its source and by its time, compiled to origins.

A filter is JSON: `AND`, `OR`, `NOT`, the labels `user_id`, `agent_id`, `app_id` and `run_id`, `metadata`, `provenance`,
`created_at` and `timestamp`. mem0's clients write the same (docs/howto/use-mem0.md), less `provenance`, which names
what a source was told with as it stands there. Whatever is not known here is refused: a filter that is left out of
account shows, or deletes, what nobody meant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import product
from operator import and_
from typing import Annotated, Any

import orjson
from pydantic import Field, TypeAdapter, ValidationError

from deployments.dates import moment_of
from deployments.kinds import Id, Number, ShortText
from memory.errors import Invalid
from memory.model.origins import ProvenanceFilter
from memory.model.timeline import DAY_S, Instant

LABELS = ("user_id", "agent_id", "app_id", "run_id")
"""What memories are told apart by."""
METADATA = "metadata."
"""How names in a provenance begin that are metadata of the client's."""
NESTED = "{}"
"""How such a name ends if its value is kept as JSON."""
TIMES = ("created_at", "timestamp")
MOST_ALTERNATIVES = 64
MOST_DEPTH = 8
MOST_WRITTEN = 10_000
"""Characters of a filter in a URL."""
MOST_NAMED = 100
"""Values that one condition may name."""
ANY = "*"
_ID: TypeAdapter[str] = TypeAdapter(Id)
_TOLD: TypeAdapter[dict[str, str | float | bool | None]] = TypeAdapter(
    Annotated[dict[ShortText, ShortText | Number | bool | None], Field(max_length=50)]
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
STEP_S = 0.001
"""Seconds between two moments that are told apart."""
_SINCE = frozenset({"gt", "gte", "lt", "lte"})
_COMPARED = _SINCE | {"eq", "ne", "in", "nin", "contains", "icontains", "not_contains"}
"""How mem0's clients compare a value: an object of these names is none."""
Filters = Mapping[str, Any]
Moment = Callable[[str, str], Instant]
"""A time as it is written, of a parameter of this name."""


def written_filters(text: str) -> Filters:
    """Filters as they stand in a URL: JSON, or a dictionary as Python prints it, which mem0's client sends.

    Raises Invalid.
    """
    try:
        if len(text) > MOST_WRITTEN:
            raise ValueError
        found = orjson.loads(text) if text.lstrip()[:2] != "{'" else ast.literal_eval(text.strip())
        if not isinstance(found, dict):
            raise ValueError
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise Invalid("filters: must be a JSON object.") from error
    return found


def label(name: str, said: object) -> str:
    """A user, agent, app or run by its id. Raises Invalid."""
    try:
        return _ID.validate_python(said, strict=True)
    except ValidationError as error:
        raise Invalid(f"{name}: must be an id: text of 1 to 200 printable characters, and no path.") from error


def all_of(*every: Filters | None) -> dict[str, Any]:
    """Filters all of which must hold, as one; empty if none of them says anything."""
    said = [each for each in every if each]
    return {"AND": said} if said else {}


def labels_told(*every: Filters) -> dict[str, str]:
    """Labels as a provenance keeps them, each of which says the same wherever it is given. Raises Invalid."""
    told: dict[str, str] = {}
    for name, said in (pair for each in every for pair in each.items() if pair[1] is not None):
        if name not in LABELS or told.get(name, said) != said:
            raise Invalid("filters: may say what user_id, agent_id, app_id and run_id are, each once.")
        told[name] = label(name, said)
    return told


def users_in(filters: Filters, depth: int = 0) -> set[str]:
    """The users that filters name, however deep. Raises Invalid."""
    if depth > MOST_DEPTH:
        raise Invalid(f"filters: must not be nested deeper than {MOST_DEPTH}.")
    named: set[str] = set()
    for name, said in filters.items():
        if name in ("AND", "OR", "NOT"):
            for each in _members(name, said):
                named |= users_in(each, depth + 1)
        elif name == "user_id":
            named |= {each for each in _named(name, said)[1] if each != ANY}
    return named


def origins_of(filters: Filters, owner: str, moment: Moment) -> tuple[ProvenanceFilter, ...]:
    """The alternatives that filters allow in the memory of `owner`, who needs no label there. Raises Invalid."""
    met: list[ProvenanceFilter] = [ProvenanceFilter()]
    for name, said in filters.items():
        if name == "NOT":
            met = _met_by(met, [[_denied(owner, each)] for each in _members(name, said)])
        elif name in ("AND", "OR"):
            parts = [origins_of(each, owner, moment) for each in _members(name, said)]
            met = _met_by(met, parts) if name == "AND" else _met_by(met, [[one for part in parts for one in part]])
        else:
            met = _met_by(met, [_leaf(name, said, owner, moment)])
    return tuple(met)


def origins_on(filters: Filters, owner: str, now: Instant, zone: str) -> tuple[ProvenanceFilter, ...]:
    """The same, of filters whose days are those of a zone. Raises Invalid."""
    return origins_of(filters, owner, lambda name, text: moment_of(name, text, now, zone) or 0.0)


def _met_by(met: Sequence[ProvenanceFilter], parts: Sequence[Sequence[ProvenanceFilter]]) -> list[ProvenanceFilter]:
    """What meets one of the alternatives before and one of each part."""
    count = len(met)
    for part in parts:
        count *= len(part)
    if count > MOST_ALTERNATIVES:
        raise Invalid("filters: these are too many alternatives.")
    return [reduce(and_, chosen) for chosen in product(met, *parts)]


def _members(name: str, said: object) -> Sequence[Filters]:
    listed = [said] if isinstance(said, Mapping) else said
    if not isinstance(listed, list) or not 0 < len(listed) <= MOST_NAMED or not all(map(_is_filter, listed)):
        raise Invalid(f"filters.{name}: must be a list of filters, none of them empty.")
    return listed


def _is_filter(given: object) -> bool:
    return isinstance(given, Mapping) and bool(given)


def _leaf(name: str, said: object, owner: str, moment: Moment) -> list[ProvenanceFilter]:
    if name in LABELS:
        how, named = _named(name, said)
        if how == "ne":
            return [reduce(and_, (_denied(owner, {name: each}) for each in named))]
        return [_labelled(name, each, owner) for each in named]
    if name == "metadata" and isinstance(said, Mapping) and said:
        return _met_by([ProvenanceFilter()], [_beside(str(each), value) for each, value in said.items()])
    if name == "provenance" and isinstance(said, Mapping) and said:
        return [ProvenanceFilter(says=dict(_told(said)))]
    if name in TIMES and isinstance(said, Mapping) and said and said.keys() <= _SINCE:
        return [reduce(and_, (_since(name, how, str(at), moment) for how, at in said.items()))]
    raise Invalid(
        "filters: one of them is not known here; AND, OR, NOT, user_id, agent_id, app_id, run_id, "
        "metadata, provenance, created_at and timestamp are."
    )


def _since(name: str, how: str, at: str, moment: Moment) -> ProvenanceFilter:
    """Said before or after a time; a day lasts until it is over."""
    found = moment(name, at)
    end = found + (DAY_S if _DAY.fullmatch(at) else STEP_S)
    return (
        ProvenanceFilter(after=found if how == "gte" else end)
        if how in ("gt", "gte")
        else ProvenanceFilter(before=found if how == "lt" else end)
    )


def _labelled(name: str, said: str, owner: str) -> ProvenanceFilter:
    if name == "user_id" and said in (owner, ANY):  # all of a memory is its owner's
        return ProvenanceFilter()
    return ProvenanceFilter(names=(name,)) if said == ANY else ProvenanceFilter(says={name: said})


def _denied(owner: str, filters: Filters) -> ProvenanceFilter:
    """The opposite of filters that say what labels or metadata are."""
    if len(filters) != 1:
        raise Invalid("filters.NOT: each must say one thing.")
    [(name, said)] = filters.items()
    if name == "metadata" and isinstance(said, Mapping) and len(said) == 1:
        listed = [each for key, value in said.items() for each in _beside(str(key), value)]
        if not any(each.denies for each in listed):
            return ProvenanceFilter(denies=tuple(each.says for each in listed))
    if name not in LABELS or not isinstance(said, str) or said == ANY:
        raise Invalid("filters.NOT: must name a user_id, an agent_id, an app_id, a run_id, or one thing of metadata.")
    of_all = name == "user_id" and said == owner
    return ProvenanceFilter(denies=({},)) if of_all else ProvenanceFilter(denies=({name: label(name, said)},))


def _named(name: str, said: object) -> tuple[str, list[str]]:
    """How, and which labels are named: `eq` any of them, `ne` none of them."""
    how = "eq"
    if isinstance(said, Mapping) and len(said) == 1:
        [(given, said)] = said.items()
        how = {"in": "eq", "nin": "ne"}.get(str(given), str(given))
    listed = said if isinstance(said, list) else [said]
    if how not in ("eq", "ne") or not listed or len(listed) > MOST_NAMED:
        raise Invalid(f"{name}: must be an id, or {{'in': [ids]}}, or {{'ne': id}}.")
    return how, [each if each == ANY else label(name, each) for each in listed]


def _beside(name: str, said: object) -> list[ProvenanceFilter]:
    """The alternatives by which metadata of a name are this value or, as it may be compared, one of some or none."""
    how, values = "in", [said]
    if isinstance(said, Mapping) and said and said.keys() <= _COMPARED:
        how, value = next(iter(said.items()))
        values = value if how in ("in", "nin") else [value]
        if len(said) > 1 or how not in ("eq", "ne", "in", "nin") or not isinstance(values, list):
            raise Invalid("filters.metadata: a value is compared by one of eq, ne, in and nin.")
        if not 0 < len(values) <= MOST_NAMED:
            raise Invalid(f"filters.metadata: must name 1 to {MOST_NAMED} values.")
    told = [metadata_told({name: each}) for each in values]
    if how in ("ne", "nin"):
        return [ProvenanceFilter(denies=tuple(told))]
    return [ProvenanceFilter(says=each) for each in told]


def metadata_told(metadata: Mapping[Any, Any]) -> dict[str, object]:
    """Metadata as a provenance keeps them: what is no plain value as JSON. Raises Invalid."""
    told: dict[str, object] = {}
    for name, said in metadata.items():
        if str(name).endswith(NESTED):
            raise Invalid("metadata: a name must not end with {}.")
        plain = said is None or isinstance(said, str | int | float | bool)
        told[f"{METADATA}{name}" if plain else f"{METADATA}{name}{NESTED}"] = said if plain else json_of(said)
    return _told(told)


def _told(given: Mapping[Any, Any]) -> dict[str, object]:
    try:
        return dict(_TOLD.validate_python(given))
    except (ValidationError, OverflowError) as error:
        raise Invalid("metadata: must have at most 50 names, and values of at most 1,000 characters.") from error


def metadata_shown(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata that a provenance keeps, as they were given."""
    shown: dict[str, Any] = {}
    for name, said in provenance.items():
        if name.startswith(METADATA) and said is not None:
            plain = name.removeprefix(METADATA)
            shown[plain.removesuffix(NESTED)] = _loaded(said) if plain.endswith(NESTED) else said
    return shown


def _loaded(said: Any) -> Any:
    """What was kept as JSON; what anybody else has put under such a name, as it is."""
    try:
        return orjson.loads(said)
    except ValueError:
        return said


def json_of(said: object) -> str:
    """Something as JSON, its names in order. Raises Invalid."""
    try:
        return orjson.dumps(said, option=orjson.OPT_SORT_KEYS).decode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid("metadata and filters: must be JSON.") from error
