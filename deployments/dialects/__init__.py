"""Dialects: other people's protocols, each a thin translator over the use cases. None knows another, or an adapter."""
