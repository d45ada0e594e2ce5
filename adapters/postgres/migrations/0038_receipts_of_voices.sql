-- Forgetting a voice has a receipt as well: its prints leave the tables and the log with a sweep, as words do.

ALTER TABLE receipts DROP CONSTRAINT receipts_what_check;
ALTER TABLE receipts ADD CONSTRAINT receipts_what_check CHECK (what IN ('source', 'entity', 'memory', 'voice'));
