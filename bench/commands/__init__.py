"""The commands of measuring: `memoray bench`, `memoray chaos`, `memoray simulate`. The command line finds them by an
entry point, and works without them.
"""
