"""The gateway on Ray Serve and the models behind it."""
