"""Encoders behind the `Embedder` port."""
