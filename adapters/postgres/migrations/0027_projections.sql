-- Projections whose rows are the journal's own: dropped for a scope, they keep quiet about it until they are built again.

ALTER TABLE scopes ADD COLUMN dropped text[] NOT NULL DEFAULT '{}';   -- name/generation of those that were dropped
