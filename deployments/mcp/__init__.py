"""MCP itself: what its three dialects have in common, which offer a set of tools each."""
