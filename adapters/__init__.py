"""How the world is reached. No Ray here; build.py, build_models.py and stores.py alone name concrete classes."""
