"""Omi, the wearable: what its cloud and its app send, and tools for its chat."""
