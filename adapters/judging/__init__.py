"""Judges behind the `Judge` port."""
