"""The legs that a question fans out to. A leg is added by its module and its name in this tuple (docs/howto)."""

from __future__ import annotations

from memory.retrieval.calendar_leg import CALENDAR
from memory.retrieval.graph_leg import GRAPH
from memory.retrieval.hot_leg import HOT
from memory.retrieval.legs import TEXT, VECTORS
from memory.retrieval.standing import STANDING

LEGS = (TEXT, VECTORS, GRAPH, HOT, CALENDAR, STANDING)
"""In the order in which they are asked and their rankings are added up."""
