"""Graphiti by MCP: the tools of its MCP server, and the shapes of their answers."""
