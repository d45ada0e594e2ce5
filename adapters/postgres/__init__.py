"""PostgreSQL: journal, capture, text, vectors and graph; and the server that comes in a wheel."""
