"""Extractors behind the `Extractor` port: rules, and any OpenAI-compatible server."""
