"""mem0: what `MemoryClient(host=...)` asks of the platform it is made for."""
