"""MCP: three sets of tools, each at an address of its own, and what they have in common."""
