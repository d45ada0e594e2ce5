"""The living parts on Ray: shards of memories, the worker and what it does in the background."""
