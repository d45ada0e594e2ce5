"""Use cases: what can be asked of a memory, for every entry point. A use case has a body and an answer, and no HTTP."""
