"""The nouns of a memory: frozen values without behaviour of their own."""
