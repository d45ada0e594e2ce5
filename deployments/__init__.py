"""The front door on Ray Serve and the models behind it."""
