"""Use cases: what can be asked of a memory, for every door alike. A body in, an answer out, no HTTP between them."""
