"""The plain page: its template and its style."""
