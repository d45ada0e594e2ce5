-- A group may be a consolidation: sources that a night has gathered and archived.

ALTER TABLE groups DROP CONSTRAINT groups_kind_check;
ALTER TABLE groups ADD CONSTRAINT groups_kind_check
    CHECK (kind IN ('storyline', 'macro', 'community', 'pattern', 'summary', 'consolidation'));
