"""Use cases: async, over ports only."""
