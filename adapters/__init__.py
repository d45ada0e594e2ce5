"""How the world is reached. No Ray here; `adapters.build` alone names concrete classes."""
