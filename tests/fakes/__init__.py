"""Real twins of the adapters, in memory."""
