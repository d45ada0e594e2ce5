"""Use cases: asynchronous functions that use ports and nothing else from outside."""
