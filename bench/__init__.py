"""Benchmarks against third-party data; each prints one row."""
