"""What `memoray explain` asks for, and how it draws."""

from __future__ import annotations

import pytest

from cli.explain import dot, mermaid, path_of
from memory.errors import Invalid

GRAPH = {
    "nodes": [
        {"id": "f-1", "kind": "fact", "label": 'Maya said "hello" <b>'},
        {"id": "march/1", "kind": "segment", "label": "I live\\here"},
        {"id": "e-1", "kind": "entity", "label": "Maya"},
    ],
    "edges": [{"from_id": "march/1", "kind": "supports", "to_id": "f-1"}],
}


@pytest.mark.parametrize(
    ("thing", "path"),
    [
        ("f-0a", "/v1/facts/f-0a/explain"),
        ("e-0a", "/v1/entities/e-0a/explain"),
        ("march/1", "/v1/segments/march/1/explain"),
        ("f-talk/of may/é", "/v1/segments/f-talk%2Fof%20may/%C3%A9/explain"),
    ],
)
def test_an_id_tells_what_it_is_the_id_of(thing: str, path: str) -> None:
    assert path_of(thing) == path


@pytest.mark.parametrize("thing", ["", "march", "n-0a"])
def test_what_is_no_such_id_is_refused(thing: str) -> None:
    with pytest.raises(Invalid, match="source/segment"):
        path_of(thing)


def test_graphviz() -> None:
    drawn = dot(GRAPH).splitlines()
    assert drawn[0] == "digraph memory {"
    assert drawn[-1] == "}"
    assert '  "f-1" [label="Maya said \\"hello\\" <b>", shape=box];' in drawn
    assert '  "march/1" [label="I live\\\\here", shape=note];' in drawn
    assert '  "march/1" -> "f-1" [label="supports"];' in drawn


def test_mermaid() -> None:
    drawn = mermaid(GRAPH).splitlines()
    assert drawn[0] == "flowchart LR"
    assert '  n0["Maya said #quot;hello#quot; #lt;b#gt;"]' in drawn
    assert '  n2(["Maya"])' in drawn
    assert "  n1 -->|supports| n0" in drawn
