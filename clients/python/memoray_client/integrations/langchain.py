"""LangChain and LangGraph: a retriever, a tool, and a node that keeps what was said. Needs langchain-core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool, StructuredTool

from memoray_client.client import Memory
from memoray_client.integrations.turns import placed
from memoray_client.messages import Message, text_of

_ROLES = {"human": "user", "ai": "assistant", "tool": "tool"}
"""LangChain's name of a message's type -> ours; a system message was said by nobody."""


class MemorayRetriever(BaseRetriever):
    """Finds what was said, as documents whose metadata tell who said it, when, and in which source."""

    memory: Memory
    limit: int = 5

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [
            Document(
                page_content=found.text,
                id=f"{found.source_id}/{found.segment_id}",
                metadata={
                    "speaker": found.speaker,
                    "timestamp": found.timestamp.isoformat(),
                    "source_id": found.source_id,
                    "segment_id": found.segment_id,
                    "relevance_score": found.relevance_score,
                },
            )
            for found in self.memory.search(query, limit=self.limit).results
        ]


def memory_tool(memory: Memory) -> BaseTool:
    """A tool by which an agent looks up what is remembered."""

    def search_memory(question: str) -> str:
        """Look up in the user's long-term memory what answers a question."""
        return memory.context(question) or "Nothing is remembered about this."

    return StructuredTool.from_function(search_memory)


class ConversationWriter:
    """A node of a LangGraph graph that keeps the latest turns of `state["messages"]`, each message once.

    Put it behind the node that answers. A graph that is resumed goes on with its latest turn: what was said before has
    been kept by the process before it.
    """

    def __init__(self, memory: Memory, conversation: str) -> None:
        self._memory = memory
        self._conversation = conversation
        self._kept: set[str] = set()

    def __call__(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Keep what is new; nothing of the state changes. Raises MemorayError."""
        fresh = self._fresh(state["messages"])
        said = [message for each in fresh if (message := _message(each)) is not None]
        if said:
            options, messages = placed(self._conversation, said, datetime.now().astimezone())
            self._memory.add(messages, **options)
        self._kept.update(each.id for each in fresh if each.id)
        return {}

    def _fresh(self, messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
        kept = [place for place, each in enumerate(messages) if each.id in self._kept]
        if kept:
            return messages[kept[-1] + 1 :]
        asked = [place for place, each in enumerate(messages) if each.type == "human"]
        return messages[asked[-1] :] if asked else ()


def _message(message: BaseMessage) -> Message | None:
    """A message that somebody said in words; None of a call of tools, or of instructions."""
    role, text = _ROLES.get(message.type), text_of(message.content)
    if role is None or not text.strip():
        return None
    return Message(text, message.name or role, role, segment_id=message.id)
