-- What is told again after it was forgotten counts its revisions on: what was read or encoded of the words before, and is
-- still under way, fits it no more, and its reading is another command than theirs.
ALTER TABLE removals ADD COLUMN revision integer NOT NULL DEFAULT 1;
COMMENT ON COLUMN removals.revision IS 'the last one of the segment';
