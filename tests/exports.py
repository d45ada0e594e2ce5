"""Small exports of other programs, invented, in the shapes in which those programs write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.packing import docx, packed, pdf

MAY_1 = 1714557600.0
"""1 May 2024, 10:00 UTC."""


def node(key: str, parent: str | None, message: Mapping[str, Any] | None, *children: str) -> dict[str, Any]:
    """A node of a ChatGPT conversation's tree."""
    return {"id": key, "message": message, "parent": parent, "children": list(children)}


def said(key: str, role: str, parts: list[Any], at: float | None, kind: str = "text", **rest: Any) -> dict[str, Any]:
    """A message of ChatGPT."""
    return {
        "id": key,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "update_time": None,
        "content": {"content_type": kind, "parts": parts},
        "status": "finished_successfully",
        "end_turn": True,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        "channel": None,
        **rest,
    }


PICTURE = {
    "content_type": "image_asset_pointer",
    "asset_pointer": "file-service://file-x",
    "size_bytes": 9,
    "width": 1,
    "height": 1,
    "fovea": None,
    "metadata": {},
}
CHATGPT = [
    {
        "title": "Moving house",
        "create_time": MAY_1,
        "update_time": MAY_1 + 90.5,
        "mapping": {
            "root": node("root", None, None, "sys"),
            "sys": node(
                "sys",
                "root",
                said("sys", "system", [""], None, metadata={"is_visually_hidden_from_conversation": True}),
                "ctx",
            ),
            "ctx": node("ctx", "sys", said("ctx", "user", [], None, "user_editable_context"), "q1"),
            "q1": node(
                "q1",
                "ctx",
                said("q1", "user", [PICTURE, "I moved to Porto, as Ana did."], MAY_1 + 5, "multimodal_text"),
                "bad",
                "think",
            ),
            "bad": node("bad", "q1", said("bad", "assistant", ["An answer that was made again."], MAY_1 + 9)),
            "think": node("think", "q1", said("think", "assistant", [], MAY_1 + 10, "thoughts"), "call"),
            "call": node(
                "call",
                "think",
                said("call", "assistant", ["search()"], MAY_1 + 10, "code", recipient="browser"),
                "tool",
            ),
            "tool": node("tool", "call", said("tool", "tool", ["results"], MAY_1 + 11), "a1"),
            "a1": node(
                "a1",
                "tool",
                said("a1", "assistant", ["Welcome!【4†source】 Porto \ue200cite\ue201is fine."], MAY_1 + 12),
                "q2",
            ),
            "q2": node("q2", "a1", said("q2", "user", ["Thanks."], None)),
        },
        "moderation_results": [],
        "current_node": "q2",
        "plugin_ids": None,
        "conversation_id": "c-1",
        "conversation_template_id": None,
        "gizmo_id": None,
        "is_archived": False,
        "safe_urls": [],
        "default_model_slug": "gpt-4o",
        "id": "c-1",
    },
    {
        "title": None,
        "create_time": MAY_1 + 9e5,
        "update_time": None,
        "current_node": "gone",
        "conversation_id": "c-2",
        "mapping": {
            "r": node("r", None, None, "q"),
            "q": node("q", "r", said("q", "user", ["I like tea."], MAY_1 + 9e5)),
        },
    },
]
CLAUDE = [
    {
        "uuid": "11111111-aaaa",
        "name": "Bread",
        "summary": "",
        "created_at": "2024-05-01T10:00:00.123456Z",
        "updated_at": "2024-05-01T10:05:00.000000Z",
        "account": {"uuid": "u"},
        "chat_messages": [
            {
                "uuid": "m1",
                "text": "Ana bakes rye bread. How?",
                "content": [
                    {
                        "start_timestamp": None,
                        "stop_timestamp": None,
                        "type": "text",
                        "text": "Ana bakes rye bread. How?",
                        "citations": [],
                    }
                ],
                "sender": "human",
                "created_at": "2024-05-01T10:00:01.000000Z",
                "updated_at": "2024-05-01T10:00:01.000000Z",
                "attachments": [{"file_name": "a.txt", "file_size": 3, "file_type": "txt", "extracted_content": "abc"}],
                "files": [{"file_name": "a.png"}],
            },
            {
                "uuid": "m2",
                "text": "```\nThis block is not supported on your current device yet.\n```\nUse rye.",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "tool_use", "name": "search", "input": {}},
                    {"type": "tool_result", "content": []},
                    {"type": "text", "text": "Use rye."},
                ],
                "sender": "assistant",
                "created_at": "2024-05-01T10:00:09.000000Z",
                "attachments": [],
                "files": [],
            },
        ],
    },
    {
        "uuid": "22222222-bbbb",
        "name": "",
        "created_at": "2024-05-02T10:00:00Z",
        "updated_at": "2024-05-02T10:00:00Z",
        "account": {"uuid": "u"},
        "chat_messages": [],
    },
]
TELEGRAM_CHAT = {
    "name": "Ana",
    "type": "personal_chat",
    "id": 4711,
    "messages": [
        {
            "id": 1,
            "type": "service",
            "date": "2024-05-01T09:59:00",
            "date_unixtime": "1714557540",
            "actor": "Ana",
            "actor_id": "user2",
            "action": "phone_call",
            "text": "",
            "text_entities": [],
        },
        {
            "id": 2,
            "type": "message",
            "date": "2024-05-01T12:00:00",
            "date_unixtime": "1714557600",
            "from": "Ana",
            "from_id": "user2",
            "text": [
                "See ",
                {"type": "text_link", "text": "the boat", "href": "https://boat.org"},
                ", ",
                {"type": "mention", "text": "@maya"},
            ],
            "text_entities": [],
        },
        {
            "id": 3,
            "type": "message",
            "date": "2024-05-01T12:01:00",
            "date_unixtime": "1714557660",
            "from": "Maya L",
            "from_id": "user1",
            "reply_to_message_id": 2,
            "text": "I bought it.",
            "text_entities": [],
        },
        {
            "id": 4,
            "type": "message",
            "date": "2024-05-01T12:02:00",
            "date_unixtime": "1714557720",
            "from": "Ana",
            "from_id": "user2",
            "photo": "photos/photo_1.jpg",
            "width": 1,
            "height": 1,
            "text": "",
            "text_entities": [],
        },
        {
            "id": 5,
            "type": "message",
            "date": "2024-05-01T12:03:00",
            "date_unixtime": "1714557780",
            "from": "Ana",
            "from_id": "user2",
            "forwarded_from": "Boris",
            "text": "I sell boats.",
            "text_entities": [],
        },
        {
            "id": 6,
            "type": "message",
            "date": "2024-05-01T12:04:00",
            "date_unixtime": "1714557840",
            "from": None,
            "from_id": "user9",
            "text": "I have left.",
            "text_entities": [],
        },
        {
            "id": 7,
            "type": "message",
            "date": "2024-05-01T12:04:30",
            "date_unixtime": "1714557870",
            "from": "Ana",
            "from_id": "user2",
            "media_type": "sticker",
            "file": "(File not included.)",
            "text": "",
        },
    ],
}
TELEGRAM = {
    "about": "Here is the data you requested.",
    "personal_information": {"user_id": 1, "first_name": "Maya", "last_name": "L", "phone_number": "+0", "bio": ""},
    "profile_pictures": [],
    "contacts": {"about": "", "list": [{"first_name": "Ana", "last_name": "", "phone_number": "", "date": "x"}]},
    "chats": {
        "about": "",
        "list": [
            {"name": "Empty", "type": "private_group", "id": 1, "messages": []},
            {
                "type": "saved_messages",
                "id": 1,
                "messages": [
                    {
                        "id": 9,
                        "type": "message",
                        "date": "2024-05-01T12:00:00",
                        "date_unixtime": "1714557600",
                        "from": "Maya L",
                        "from_id": "user1",
                        "text": "Buy oars.",
                    }
                ],
            },
            TELEGRAM_CHAT,
        ],
    },
}


def _slack(ts: str, user: str, text: str, **rest: Any) -> dict[str, Any]:
    return {"user": user, "type": "message", "ts": ts, "client_msg_id": ts, "text": text, "team": "T1", **rest}


SLACK: dict[str, str] = {
    "users.json": json.dumps(
        [
            {
                "id": "U1",
                "team_id": "T1",
                "name": "maya",
                "deleted": False,
                "real_name": "Maya Lopez",
                "is_bot": False,
                "profile": {"real_name": "Maya Lopez", "display_name": "maya_l", "email": "m@x.org"},
            },
            {"id": "U2", "name": "ana", "deleted": True, "profile": {"real_name": "Ana Silva", "display_name": ""}},
            {"id": "U3", "name": "deploybot", "deleted": False, "is_bot": True, "profile": {"real_name": "Deploy Bot"}},
        ]
    ),
    "channels.json": json.dumps(
        [
            {
                "id": "C1",
                "name": "general",
                "created": 1,
                "creator": "U1",
                "is_archived": False,
                "members": ["U1", "U2"],
                "topic": {"value": ""},
                "purpose": {"value": ""},
            }
        ]
    ),
    "dms.json": json.dumps([{"id": "D1", "created": 1, "members": ["U1", "U2"]}]),
    "integration_logs.json": "[]",
    "general/2024-05-01.json": json.dumps(
        [
            {
                "user": "U2",
                "type": "message",
                "subtype": "channel_join",
                "ts": "1714557600.000100",
                "text": "<@U2> has joined the channel",
            },
            _slack(
                "1714557601.000100", "U2", "Hi <@U1>, *see* <https://boat.org|the boat> &amp; <#C1|general> <!here>"
            ),
            _slack(
                "1714557602.000100",
                "U1",
                "I bought it.",
                thread_ts="1714557602.000100",
                reply_count=2,
                replies=[{"user": "U2", "ts": "1714557700.000100"}],
                latest_reply="1714644000.000100",
            ),
            _slack(
                "1714557700.000100",
                "U2",
                "Great!",
                thread_ts="1714557602.000100",
                parent_user_id="U1",
                edited={"user": "U2", "ts": "1714557710.000000"},
            ),
            {
                "type": "message",
                "subtype": "bot_message",
                "bot_id": "B1",
                "username": "CI",
                "ts": "1714557800.000100",
                "text": "",
                "attachments": [{"fallback": "Build passed", "id": 1}],
            },
            _slack("1714557810.000100", "U3", "Deployed <https://x.org>."),
            _slack("1714557900.000100", "U9", "", files=[{"id": "F1", "mode": "hosted", "name": "a.png"}], upload=True),
            _slack(
                "1714557950.000100",
                "U7",
                "Hello from outside.",
                user_profile={"real_name": "Cleo Stone", "name": "cleo"},
            ),
        ]
    ),
    "general/2024-05-02.json": json.dumps(
        [_slack("1714644000.000100", "U1", "Thanks, Ana.", thread_ts="1714557602.000100", parent_user_id="U1")]
    ),
    "D1/2024-05-01.json": json.dumps([_slack("1714557603.000100", "U2", "Just for you: I quit.")]),
}
WHATSAPP_IOS = """\u200e[01/05/2024, 10:00:00] Ben: \u200eMessages and calls are end-to-end encrypted.
[01/05/2024, 10:00:05] Ben: Shall we sail?
[01/05/2024, 10:00:40] Ana: Yes, on the 14th.
\u200e[01/05/2024, 10:01:00] Ben: \u200eimage omitted
"""
WHATSAPP_ANDROID = "01.05.24, 10:00 - Ben: Shall we sail?\n01.05.24, 10:01 - Ana: <Media omitted>\n"


PARAGRAPHS = ["I moved to Porto last spring.", "The boat needs paint."]
EXPORTS: dict[str, tuple[str, bytes]] = {
    "slack": ("slack.zip", packed(SLACK)),
    "chatgpt": (
        "chatgpt.zip",
        packed({"conversations.json": json.dumps(CHATGPT), "user.json": "{}", "chat.html": "x"}),
    ),
    "claude": (
        "claude.zip",
        packed({"conversations.json": json.dumps(CLAUDE), "users.json": "[]", "projects.json": "[]"}),
    ),
    "telegram": ("result.json", json.dumps(TELEGRAM, ensure_ascii=False, indent=1).encode()),
    "docx": ("boat.docx", docx(PARAGRAPHS)),
    "pdf": ("boat.pdf", pdf(PARAGRAPHS)),
    "whatsapp": ("WhatsApp Chat - Ben.zip", packed({"_chat.txt": WHATSAPP_IOS, "00000004-PHOTO.jpg": b"\xff\xd8\xff"})),
}
"""Format to a file's name and what is in it."""
