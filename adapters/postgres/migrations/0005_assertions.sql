-- Assertions: since when the words that support a fact say it is so, where that is not when they were said.

ALTER TABLE evidence ADD COLUMN holds_from timestamptz;
