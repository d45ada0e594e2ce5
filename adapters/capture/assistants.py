"""Exports of ChatGPT and of Claude: `conversations.json`, or the ZIP it comes in.

What the user wrote is the owner's, what the assistant answered is the assistant's. Of a ChatGPT conversation, which is
a tree, the branch is read that is on the screen. Tools, pictures, reasoning and instructions are counted and left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from adapters.capture.bodies import Body
from adapters.capture.json_stream import TOO_LARGE, outline, values
from adapters.capture.jsonl import Rejected
from adapters.capture.messages import (
    ChatMessage,
    ExportedChat,
    bodies_of_chat,
    listed,
    mapping,
    message_of,
    moment_of,
    storable,
)
from adapters.capture.text import TextFile
from memory.errors import Invalid

Messages = Callable[[TextFile, Mapping[str, Any]], Iterator[ChatMessage]]

_CONVERSATIONS = re.compile(r"conversations(?:-\d{1,5})?\.json")
_CITATION = re.compile("\ue200[^\ue200\ue201]*\ue201|【\\d{1,4}(?::\\d{1,4})?†[^】\n]{0,200}】|[\ue200-\ue2ff]")
"""Marks in which ChatGPT keeps what an answer refers to; a reader sees a small link or nothing."""
_LONGEST_BRANCH = 100_000
_SPOKEN = {"text", "multimodal_text"}
_PICTURES = frozenset({"image_asset_pointer", "video_container_asset_pointer"})
_KINDS = {
    "code": "tool call",
    "execution_output": "tool call",
    "tether_browsing_display": "tool call",
    "tether_quote": "tool call",
    "computer_output": "tool call",
    "system_error": "tool call",
    "thoughts": "reasoning",
    "reasoning_recap": "reasoning",
    "user_editable_context": "instruction",
    "model_editable_context": "instruction",
}
"""What content that nobody reads as a message is counted as."""


def sniff_chatgpt(file: TextFile) -> bool:
    """A list of conversations that are trees."""
    return any(("*", "mapping") in outline(each) for each in _files(file))


def sniff_claude(file: TextFile) -> bool:
    """A list of conversations with messages in a row."""
    return any(("*", "chat_messages") in outline(each) for each in _files(file))


def read_chatgpt(file: TextFile) -> Iterator[Body]:
    """Every conversation, the branch that is on the screen."""
    return _read(file, "chatgpt", ("conversation_id", "id"), "title", _branch)


def read_claude(file: TextFile) -> Iterator[Body]:
    """Every conversation."""
    return _read(file, "claude", ("uuid",), "name", _row)


def _files(file: TextFile) -> list[TextFile]:
    """The file itself, or those of a package that hold conversations."""
    if file.package is None:
        return [file]
    return [file.inner(member) for name, member in file.package.inside() if _CONVERSATIONS.fullmatch(name)]


def _read(file: TextFile, form: str, ids: tuple[str, ...], title: str, messages: Messages) -> Iterator[Body]:
    files = _files(file)
    if not files:
        raise Invalid(f"{file.path.name}: there is no conversations.json in it.", file=file.path.name)
    for each in files:
        for number, (_, value) in enumerate(values(each, {("*",)}), start=1):
            conversation = mapping(value)
            if not conversation:
                if value is not TOO_LARGE:
                    each.set_aside(Rejected(0, 0, f"conversation {number} is none"))
                continue
            named = storable(conversation.get(title))
            key = next((found for name in ids if (found := storable(conversation.get(name)))), "")
            key = key or f"{named}/{conversation.get('create_time') or conversation.get('created_at')}"
            chat = ExportedChat(form, "conversation", key, {"title": named})
            yield from bodies_of_chat(file, chat, messages(each, conversation))


def _branch(file: TextFile, conversation: Mapping[str, Any]) -> Iterator[ChatMessage]:
    """What a person sees of a ChatGPT conversation, from its beginning."""
    nodes = mapping(conversation.get("mapping"))
    at = moment_of(conversation.get("create_time"))
    for key in _path(nodes, storable(conversation.get("current_node"))):
        raw = mapping(mapping(nodes[key]).get("message"))
        at = moment_of(raw.get("create_time")) or at  # some messages have none: then, that of what stands before
        text, role = _said(file, raw)
        if text:
            speaker = file.owner if role == "user" else "ChatGPT"
            if message := message_of(file, raw.get("id") or key, at, (speaker, role, text), raw):
                yield message


def _path(nodes: Mapping[str, Any], leaf: str) -> list[str]:
    """From the root to the current node; where that is not known, to the node that was written last."""
    if leaf not in nodes:
        leaf = max(nodes, key=lambda key: _written_at(nodes[key]), default="")
    path: dict[str, None] = {}
    while leaf in nodes and leaf not in path and len(path) < _LONGEST_BRANCH:
        path[leaf] = None
        leaf = storable(mapping(nodes[leaf]).get("parent"))
    return [*path][::-1]


def _written_at(node: object) -> float:
    return moment_of(mapping(mapping(node).get("message")).get("create_time")) or 0.0


def _said(file: TextFile, raw: Mapping[str, Any]) -> tuple[str, str]:
    """(words, role); no words for what is left out."""
    role = mapping(raw.get("author")).get("role")
    content = mapping(raw.get("content"))
    kind = storable(content.get("content_type"))
    if role == "tool" or storable(raw.get("recipient") or "all") != "all":
        file.left_out("tool call")
    elif kind in _KINDS:
        file.left_out(_KINDS[kind])
    elif mapping(raw.get("metadata")).get("is_visually_hidden_from_conversation") or role not in ("user", "assistant"):
        return "", ""
    elif kind not in _SPOKEN:
        file.left_out("wordless message")
    else:
        words = [_part(file, part) for part in listed(content.get("parts"))]
        return _CITATION.sub("", "\n".join(filter(None, words))).strip(), str(role)
    return "", ""


def _part(file: TextFile, part: object) -> str:
    if isinstance(part, str):
        return storable(part)
    kind = mapping(part).get("content_type")
    if kind == "audio_transcription":
        return storable(mapping(part).get("text"))
    file.left_out("picture" if kind in _PICTURES else "recording" if "audio" in str(kind) else "attachment")
    return ""


def _row(file: TextFile, conversation: Mapping[str, Any]) -> Iterator[ChatMessage]:
    """The messages of a Claude conversation, in order."""
    began = moment_of(conversation.get("created_at"))
    for raw in map(mapping, listed(conversation.get("chat_messages"))):
        for _ in (*listed(raw.get("attachments")), *listed(raw.get("files"))):
            file.left_out("attachment")
        role = {"human": "user", "assistant": "assistant"}.get(str(raw.get("sender")))
        if role is None:
            file.set_aside(Rejected(0, 0, "a message of neither the user nor the assistant"))
            continue
        began = moment_of(raw.get("created_at")) or began
        speaker = file.owner if role == "user" else "Claude"
        message = message_of(file, raw.get("uuid") or "", began, (speaker, role, _blocks(file, raw)), raw)
        if message is not None:
            yield message


def _blocks(file: TextFile, raw: Mapping[str, Any]) -> str:
    """The text of a message; in `text` alone, tools leave a notice that they cannot be shown."""
    texts = []
    for block in map(mapping, listed(raw.get("content"))):
        kind = storable(block.get("type"))
        if kind in ("text", "voice_note"):
            texts.append(storable(block.get("text")))
        else:
            named = {"thinking": "reasoning", "redacted_thinking": "reasoning", "image": "picture"}
            file.left_out(named.get(kind, "tool call"))
    return "\n".join(filter(None, texts)) if listed(raw.get("content")) else storable(raw.get("text"))
