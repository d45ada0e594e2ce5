"""Telegram's JSON, `result.json` of one chat or of all, as Telegram Desktop exports it, or a ZIP of that.

A forwarded message is told by who wrote it first. Service messages, and media without words, are counted and left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adapters.capture.bodies import UNKNOWN, Body
from adapters.capture.json_stream import TOO_LARGE, Place, outline, values
from adapters.capture.messages import (
    ChatMessage,
    ExportedChat,
    Stretches,
    listed,
    local_moment,
    mapping,
    message_of,
    moment_of,
    storable,
)
from adapters.capture.text import MOST_CLAIMS, TextFile
from memory.errors import Invalid

_LISTS: tuple[Place, ...] = ((), ("chats", "list", "*"), ("left_chats", "list", "*"))
"""Where a chat stands: alone, or in a list."""
_ABOUT = ("name", "type", "id")
_OWNER: Place = ("personal_information", "user_id")
_WANTED = frozenset(
    {_OWNER, *((*base, key) for base in _LISTS for key in _ABOUT), *((*base, "messages", "*") for base in _LISTS)}
)
_MEDIA = {
    "photo": "picture",
    "file": "file",
    "poll": "poll",
    "contact_information": "contact",
    "location_information": "place",
    "game_title": "file",
}


@dataclass(slots=True)
class _Open:
    """The chat that is being read: what is known of it by now."""

    about: dict[str, str] = field(default_factory=dict)
    stretches: Stretches | None = None


def sniff(file: TextFile) -> bool:
    """Messages beside the type and the id of a chat, or lists of chats beside who exports them."""
    found = _file(file)
    keys = outline(found) if found else frozenset()
    alone = {("messages",), ("type",), ("id",)} <= keys
    return alone or (("chats",) in keys and ("chats", "list") in keys) or ("personal_information", "user_id") in keys


def read(file: TextFile) -> Iterator[Body]:
    """Every chat, cut where it fell silent."""
    found = _file(file)
    if found is None:
        raise Invalid(f"{file.path.name}: there is no result.json in it.", file=file.path.name)
    owners, chat = _owners(found), _Open()
    for place, value in values(found, _WANTED):
        if place == _OWNER:
            owners = frozenset({f"user{value}"})
        elif place[-1] != "*":
            if chat.stretches is not None:
                yield from chat.stretches.end()
            if chat.stretches is not None or place[-1] in chat.about:
                chat = _Open()
            chat.about[place[-1]] = "" if value is TOO_LARGE or value is None else storable(str(value))
        elif value is not TOO_LARGE and (message := _message(found, owners, mapping(value))):
            chat.stretches = chat.stretches or Stretches(file, _chat(chat.about))
            yield from chat.stretches.add(message)
    if chat.stretches is not None:
        yield from chat.stretches.end()


def _file(file: TextFile) -> TextFile | None:
    if file.package is None:
        return file
    member = file.package.find("result.json")
    return file.inner(member) if member else None


def _owners(file: TextFile) -> frozenset[str]:
    """The account that exports; where the file does not name it, the only one under the owner's name."""
    named: set[str] = set()
    messages = {place for place in _WANTED if place[-1] == "*"}
    for place, value in values(replace(file, set_aside=lambda rejected: None), {_OWNER, *messages}) if file.me else ():
        if place == _OWNER:
            return frozenset({f"user{value}"})
        raw = mapping(value)
        account = storable(raw.get("from_id"))
        if account and len(named) <= MOST_CLAIMS and file.is_me(storable(raw.get("from"))):
            named.add(account)
    return file.owning(named)


def _chat(about: Mapping[str, str]) -> ExportedChat:
    known = {"chat": about.get("name") or about.get("type", ""), "chat_type": about.get("type", "")}
    return ExportedChat(
        "telegram", "conversation", f"{about.get('type', '')}/{about.get('id') or about.get('name', '')}", known
    )


def _message(file: TextFile, owners: frozenset[str], raw: Mapping[str, Any]) -> ChatMessage | None:
    if raw.get("type") != "message":
        file.left_out("notice")
        return None
    text = _text(raw.get("text")) or _text(raw.get("text_entities"))
    if not text.strip():
        media = storable(raw.get("media_type")).replace("_", " ")
        kind = media or next((name for key, name in _MEDIA.items() if key in raw), "wordless message")
        file.left_out(kind)
        return None
    at = moment_of(raw.get("date_unixtime"))
    at = local_moment(file, raw.get("date")) if at is None else at
    speaker, role = _speaker(file, owners, raw)
    return message_of(file, raw.get("id", ""), at, (speaker, role, text), raw)


def _speaker(file: TextFile, owners: frozenset[str], raw: Mapping[str, Any]) -> tuple[str, str | None]:
    """Who wrote it first; an account that is gone has lost its name, and keeps its id."""
    name, identity = storable(raw.get("from")), storable(raw.get("from_id"))
    if "forwarded_from" in raw:
        first, account = storable(raw.get("forwarded_from")), storable(raw.get("forwarded_from_id"))
        own = account in owners or file.is_me(account) if account else first == name and identity in owners
        return (file.owner, "user") if first and own else (file.other(first or UNKNOWN, account), None)
    if identity in owners or file.is_me(identity):
        return file.owner, "user"
    if raw.get("via_bot") and not name:
        return storable(raw.get("via_bot")), "tool"
    return file.other(name, identity) if name else f"Deleted account {identity}" if identity else UNKNOWN, None


def _text(parts: object) -> str:
    """A text, which is a string or a list of strings and of parts with a meaning: links, mentions, bold words."""
    if isinstance(parts, str):
        return storable(parts)
    return "".join(storable(part if isinstance(part, str) else mapping(part).get("text")) for part in listed(parts))
