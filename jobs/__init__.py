"""Work that runs as a Ray job: the night, bulk imports, rebuilds."""
