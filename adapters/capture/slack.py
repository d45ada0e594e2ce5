"""A Slack export, as a ZIP or a folder: `users.json`, the lists of channels, and a file of messages a channel and day.

A thread is one source, begun by the message that opened it, so what replies to what is kept; the rest of a channel is
cut where it fell silent. Mentions, channels and links are written as people read them. Joins and other notices, and
files without words, are counted and left out. What a bot wrote is a tool's.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from adapters.capture.bodies import UNKNOWN, Body
from adapters.capture.json_stream import TOO_LARGE, values
from adapters.capture.jsonl import Rejected
from adapters.capture.messages import (
    MOST_HELD,
    MOST_MESSAGES,
    ChatMessage,
    ExportedChat,
    Stretches,
    bodies_of_chat,
    body_of_messages,
    listed,
    mapping,
    message_of,
    moment_of,
    storable,
)
from adapters.capture.packages import Member, Package
from adapters.capture.payloads import ID_CHARS
from adapters.capture.text import MOST_CLAIMS, TextFile
from memory.errors import Invalid

_DAY = re.compile(r"(?P<channel>[^/]+)/\d{4}-\d\d-\d\d\.json")
_LISTS = ("channels.json", "groups.json", "mpims.json", "dms.json")
_USERS = ("users.json", "org_users.json")
_SPOKEN = frozenset({"", "bot_message", "me_message", "thread_broadcast", "reply_broadcast", "file_share"})
"""Subtypes of messages that somebody wrote; the others tell of joins, topics, pins and the like."""
_SIGN = re.compile(r"<(?P<kind>[@#!]?)(?P<target>[^<>|]*)(?:\|(?P<label>[^<>]*))?>")
_MARKED = re.compile(r"(?<![\w*_~`])(?P<mark>[*_~`])(?=\S)(?P<text>[^\n*_~`]{1,500}?)(?<=\S)(?P=mark)(?![\w*_~`])")
_FENCE = "```"
YEAR_S = 360 * 86_400.0
"""A reply that comes later begins a source of its own: a source spans a year."""


MOST_NAMED = 128_000_000
"""Characters of members and channels that are known by name: of the largest workspaces it is a third (chosen)."""
ENTRY_CHARS = 400
"""Characters that a member or channel counts as beside its words: Python needs as much memory for it."""


@dataclass(frozen=True, slots=True)
class _User:
    """What a member is called, all their names, and whether it is a program."""

    called: str
    names: tuple[str, ...]
    is_bot: bool


@dataclass(slots=True)
class _Workspace:
    users: dict[str, _User] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)
    """What a channel is called, by its id."""
    folders: dict[str, str] = field(default_factory=dict)
    """The id of the channel whose messages stand in a folder."""
    owners: frozenset[str] = frozenset()
    room: int = MOST_NAMED

    def takes(self, file: TextFile, *words: str) -> bool:
        """Whether there is room for one more member or channel with these words; the first without it is set aside."""
        had, self.room = self.room, self.room - sum(map(len, words)) - ENTRY_CHARS
        if had >= 0 > self.room:
            file.set_aside(Rejected(0, 0, "more members and channels than are known by name: the others bear ids"))
        return self.room >= 0


def sniff(file: TextFile) -> bool:
    """Files of messages by channel and day, and one of users or channels beside them."""
    package = file.package
    if package is None or not any(package.find(name) for name in (*_USERS, *_LISTS)):
        return False
    return any(_DAY.fullmatch(name) for name, _ in package.inside())


def is_folder(path: Path) -> bool:
    """Whether a folder is such an export, unpacked."""
    return all(any((path / name).is_file() for name in names) for names in (_USERS, _LISTS))


def read(file: TextFile) -> Iterator[Body]:
    """Every channel, the threads of a day behind what else was said on it."""
    package = file.package
    if package is None:
        raise Invalid(f"{file.path.name}: a Slack export is a ZIP or a folder.", file=file.path.name)
    workspace = _workspace(file, package)
    days: dict[str, list[Member]] = {}
    for name, member in package.inside():
        if found := _DAY.fullmatch(name):
            days.setdefault(found["channel"], []).append(member)
    for folder, members in days.items():
        yield from _channel(file, workspace, folder, members)


def _workspace(file: TextFile, package: Package) -> _Workspace:
    workspace = _Workspace()
    for name in _USERS:
        for raw in _elements(file, package.find(name)):
            identity, user = _short(raw.get("id")), _user(raw)
            if workspace.takes(file, identity, *user.names):
                workspace.users[identity] = user
    named = (key for key, user in workspace.users.items() if not user.is_bot and file.is_me(*user.names))
    workspace.owners = file.owning(set(islice(named, MOST_CLAIMS + 1)))
    for name in _LISTS:
        for raw in _elements(file, package.find(name)):
            identity = _short(raw.get("id"))
            members = [_called(workspace, str(each)) for each in listed(raw.get("members"))[:10]]
            called = _short(storable(raw.get("name")))
            shown = f"#{called}" if called and name == _LISTS[0] else ", ".join(members) or called
            if workspace.takes(file, identity, called, shown):
                workspace.channels[identity] = shown
                workspace.folders[called or identity] = identity
    return workspace


def _short(value: object) -> str:
    return str(value)[:ID_CHARS]


def _elements(file: TextFile, member: Member | None) -> Iterator[Mapping[str, Any]]:
    """The objects of a list; a damaged file gives those before the damage, and is set aside."""
    if member is None:
        return
    try:
        for _, value in values(file.inner(member), {("*",)}):
            if value is not TOO_LARGE and mapping(value):
                yield value
    except Invalid as error:
        file.set_aside(Rejected(0, 0, error.detail))


def _user(raw: Mapping[str, Any]) -> _User:
    profile = mapping(raw.get("profile"))
    told = [profile.get("real_name"), raw.get("real_name"), profile.get("display_name"), raw.get("name")]
    names = tuple(name for each in told if (name := _short(storable(each).strip())))
    display = _short(storable(profile.get("display_name")).strip())
    return _User(display or next(iter(names), UNKNOWN), names, bool(raw.get("is_bot")) or raw.get("id") == "USLACKBOT")


def _called(workspace: _Workspace, identity: str) -> str:
    user = workspace.users.get(identity)
    return user.called if user else identity


def _channel(file: TextFile, workspace: _Workspace, folder: str, members: list[Member]) -> Iterator[Body]:
    identity = workspace.folders.get(folder, folder)
    known = {"channel": workspace.channels.get(identity) or folder}
    chat = ExportedChat("slack", "slack", identity, known)
    stretches = Stretches(file, chat)
    for member in members:
        threads: dict[str, list[ChatMessage]] = {}
        held = size = 0
        for raw in _elements(file, member):
            message, thread = _message(file, workspace, raw)
            if message is None:
                continue
            if not thread:
                yield from stretches.add(message)
                continue
            threads.setdefault(thread, []).append(message)
            held, size = held + 1, size + message.size
            if held >= MOST_MESSAGES or size > MOST_HELD:
                yield from _threads(file, chat, threads)
                threads, held, size = {}, 0, 0
        yield from _threads(file, chat, threads)
    yield from stretches.end()


def _threads(file: TextFile, chat: ExportedChat, threads: Mapping[str, list[ChatMessage]]) -> Iterator[Body]:
    """Each thread as a source of its own; what comes on other days is told into the same source."""
    for began, messages in threads.items():
        thread = ExportedChat(chat.form, chat.kind, f"{chat.key}/{began}", {**chat.known, "thread_ts": began})
        messages.sort(key=lambda message: message.at)
        start = round(float(began), 3)
        near = [message for message in messages if message.at - start < YEAR_S]
        if near:
            yield body_of_messages(file, thread, near, began=start)
        yield from bodies_of_chat(file, thread, messages[len(near) :])


def _message(file: TextFile, workspace: _Workspace, raw: Mapping[str, Any]) -> tuple[ChatMessage | None, str]:
    """A message, and the time that names its thread; None for what nobody wrote."""
    if raw.get("subtype") == "message_changed":
        raw = mapping(raw.get("message"))
    if raw.get("type", "message") != "message" or str(raw.get("subtype") or "") not in _SPOKEN:
        file.left_out("notice")
        return None, ""
    text = _text_of(raw, workspace)
    for each in listed(raw.get("files")):
        file.left_out("deleted file" if mapping(each).get("mode") == "tombstone" else "file")
    speaker, role = _speaker(file, workspace, raw)
    message = message_of(file, raw.get("ts") or "", moment_of(raw.get("ts")), (speaker, role, text), raw)
    return message, _thread_of(raw)


def _thread_of(raw: Mapping[str, Any]) -> str:
    """The time that names a thread with replies; empty for a message that stands alone."""
    began = storable(raw.get("thread_ts"))
    alone = began == raw.get("ts") and not (raw.get("reply_count") or raw.get("replies"))
    return "" if not re.fullmatch(r"\d{9,10}\.\d{1,6}", began) or alone else began


def _speaker(file: TextFile, workspace: _Workspace, raw: Mapping[str, Any]) -> tuple[str, str | None]:
    """Who wrote it: a member, gone or not, a stranger of another workspace by what the message says, or a program."""
    identity = storable(raw.get("user"))
    user = workspace.users.get(identity)
    if raw.get("subtype") == "bot_message" or raw.get("bot_id") or (user and user.is_bot):
        named = raw.get("username") or mapping(raw.get("bot_profile")).get("name") or (user and user.called)
        return storable(named) or storable(raw.get("bot_id")) or "bot", "tool"
    if user is None:
        user = _user({"profile": mapping(raw.get("user_profile")), "name": identity or UNKNOWN})
    if file.is_me(identity) or identity in workspace.owners:
        return file.owner, "user"
    return file.other(user.called, identity), None


def _text_of(raw: Mapping[str, Any], workspace: _Workspace) -> str:
    text = storable(raw.get("text"))
    if not text.strip():
        texts = [
            storable(each.get("text") or each.get("fallback")) for each in map(mapping, listed(raw.get("attachments")))
        ]
        text = "\n".join(filter(None, texts))
    return plain(text, workspace.users, workspace.channels)


def plain(text: str, users: Mapping[str, _User], channels: Mapping[str, str]) -> str:
    """A message as people read it: names for ids, the label of a link, without marks of emphasis."""

    def read_as(sign: re.Match[str]) -> str:
        kind, target, label = sign["kind"], sign["target"], sign["label"]
        if kind == "@":
            user = users.get(target)
            return f"@{user.called if user else label or target}"
        if kind == "#":
            return channels.get(target) or f"#{label or target}"
        if kind == "!":
            return label or f"@{target.partition('^')[0]}"
        return label or target.removeprefix("mailto:")

    parts = text.split(_FENCE)
    read = [_SIGN.sub(read_as, part) for part in parts]
    read[::2] = [_MARKED.sub(lambda marked: marked["text"], part) for part in read[::2]]
    return html.unescape(_FENCE.join(read))
