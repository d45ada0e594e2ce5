"""The names of months and weekdays, and patterns of them (to be matched in any case)."""

from __future__ import annotations

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTH, WEEKDAY = "|".join(MONTHS), "|".join(WEEKDAYS)
BARE_MONTH = "|".join(name for name in MONTHS if name not in ("March", "May"))
"""Months that are months without a preposition: "march" and "may" are mostly verbs."""
