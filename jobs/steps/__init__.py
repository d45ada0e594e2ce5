"""The steps of a night, one module each."""
