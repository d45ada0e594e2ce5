"""The `memoray` command and the supervisor it starts."""
