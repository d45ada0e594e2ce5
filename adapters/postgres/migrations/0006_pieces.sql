-- Word pieces beside the vector of a segment, and vectors that are made anew while the old ones serve.

ALTER TABLE segment_vectors
    ADD COLUMN pieces bytea NOT NULL DEFAULT '',   -- sign bits, dimensions / 8 bytes each; empty: none are known
    ADD COLUMN due boolean NOT NULL DEFAULT true;  -- to be encoded again, and read until it is
ALTER TABLE segment_vectors ALTER COLUMN due SET DEFAULT false;
ALTER TABLE segment_vectors ALTER COLUMN pieces SET STORAGE EXTERNAL;  -- signs do not compress

ALTER TABLE fact_vectors ADD COLUMN due boolean NOT NULL DEFAULT false;

-- What was encoded before there were pieces is encoded again, after everything that is heard from now on.
INSERT INTO work (scope, source_id, task, user_id, position)
SELECT DISTINCT s.scope, s.source_id, 'embed', '', 0
FROM segment_vectors v JOIN segments s USING (scope, segment_key)
ON CONFLICT DO NOTHING;
