-- A group may be the summary of one source, too.

ALTER TABLE groups DROP CONSTRAINT groups_kind_check;
ALTER TABLE groups ADD CONSTRAINT groups_kind_check
    CHECK (kind IN ('storyline', 'macro', 'community', 'pattern', 'summary'));
