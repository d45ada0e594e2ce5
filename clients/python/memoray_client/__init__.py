"""The Python client of Memoray: `Memory`, `AsyncMemory`, what they answer, and what they raise."""

from __future__ import annotations

from memoray_client.client import AsyncMemory, Memory
from memoray_client.errors import (
    AuthenticationError,
    ConflictError,
    InvalidRequestError,
    MemorayError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    UnreachableError,
)
from memoray_client.messages import Message
from memoray_client.retries import Retries

__all__ = [
    "AsyncMemory",
    "AuthenticationError",
    "ConflictError",
    "InvalidRequestError",
    "MemorayError",
    "Memory",
    "Message",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "Retries",
    "ServerError",
    "UnreachableError",
]
