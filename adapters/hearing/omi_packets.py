"""Packets of an Omi: what its radio sends in fragments, put together again; what was lost is told, so times stay true.

Each notification has two bytes of a number that counts notifications (little-endian), one byte with the place of the
fragment in its packet, and the fragment (research of the device's own protocol; a packet holds 10 or 20 ms of Opus).
"""

from __future__ import annotations

HEADER_BYTES = 3
MOST_PACKET = 65_536
"""Bytes of a packet: what the device's own offline files allow."""
MOST_LOST = 3_000
"""Packets in a row that are made up for: a minute of 20 ms. The number begins anew every 65,536, so a longer gap cannot
be told from a shorter one."""
RESTARTED = 50
"""Notifications, one after the other, with numbers that seem to be over, after which the device has begun to count anew
(chosen: half a second or one, of which nothing is heard; one that was restarted would else be silent for minutes)."""
_NUMBERS = 1 << 16


class OmiPackets:
    """Puts the fragments of one stream together."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._late, self._latest_late = 0, -1
        """How many came one after the other with numbers that seem to be over, and the last of these."""
        self._held: bytearray | None = None
        self._fragments = 0
        """Fragments of the packet that is held."""
        self._usual = 1
        """Fragments that the last whole packet had."""

    def feed(self, notification: bytes) -> list[bytes | None]:
        """The packets that are whole with it, None for each that was lost."""
        if len(notification) <= HEADER_BYTES:
            return []
        number, place = int.from_bytes(notification[:2], "little"), notification[2]
        missing = 0 if self._last is None else (number - self._last - 1) % _NUMBERS
        if missing > _NUMBERS // 2:  # sent again, or late: its time is over
            if not self._counts_anew(number):
                return []
            missing = min(place, 1)
        self._last, self._late = number, 0
        whole = self._made_up(missing, place) if missing else []
        if place == 0:
            whole += self._ended()
            self._held, self._fragments = bytearray(notification[HEADER_BYTES:]), 1
        elif missing:  # its beginning is lost, so all of it is
            whole += [*self._ended(), None]
        elif self._held is not None and place == self._fragments and len(self._held) < MOST_PACKET:
            self._held += notification[HEADER_BYTES:]
            self._fragments += 1
        elif self._held is not None:
            self._held = None
            whole += [None]
        return whole

    def _counts_anew(self, number: int) -> bool:
        """Whether so many have followed one another with numbers that seem to be over that the device was restarted."""
        follows = number == (self._latest_late + 1) % _NUMBERS
        self._late, self._latest_late = self._late + 1 if follows else 1, number
        return self._late == RESTARTED

    def _made_up(self, missing: int, place: int) -> list[bytes | None]:
        """What stands for lost notifications: the end of the packet that is held, and whole packets behind it.

        A fragment that is not the first of its packet tells that the ones before it are among the lost.
        """
        elsewhere = missing - min(missing, place)
        lacking = max(0, self._usual - self._fragments) if self._held is not None else 0
        whole: list[bytes | None] = []
        if elsewhere and lacking:
            self._held = None
            whole.append(None)
        return (
            whole
            + (self._ended() if elsewhere else [])
            + [None] * min((elsewhere - min(elsewhere, lacking)) // self._usual, MOST_LOST)
        )

    def rest(self) -> list[bytes | None]:
        """The packet that is held when the stream has ended."""
        return self._ended()

    def _ended(self) -> list[bytes | None]:
        """The packet that is held, if there is one: it is whole."""
        if self._held is None:
            return []
        packet, self._held = bytes(self._held), None
        self._usual = self._fragments
        return [packet]
