-- Keys are unique within a scope. They are a hash without a secret, of 64 bits: with some work, somebody can choose ids so
-- that a segment of theirs has the key of another's. Over all scopes that would have refused the other's words for ever.
-- Whoever looks a segment up by its key now says in which scopes.
DROP INDEX segments_key;
CREATE UNIQUE INDEX segments_key ON segments (segment_key, scope);

-- As before, but of whatever scope a key is found in, only those in sight count.
CREATE OR REPLACE FUNCTION facts_then(whose text, in_scopes text[], up_to integer, known timestamptz, as_of timestamptz,
                           statuses text[], of_predicate text, of_kind text, subjects text[], about text)
RETURNS SETOF fact_versions LANGUAGE sql STABLE AS $$
    SELECT f.* FROM fact_versions f
    WHERE f.user_id = whose AND f.sensitivity <= up_to AND f.status = ANY (statuses) AND f.state <> 'archived'
      AND CASE WHEN known IS NULL THEN f.system_to IS NULL
               ELSE f.system_from <= known AND (f.system_to IS NULL OR f.system_to > known) END
      AND (as_of IS NULL OR (f.valid_from <= as_of AND (f.valid_to IS NULL OR f.valid_to > as_of)))
      AND (of_predicate IS NULL OR f.predicate = of_predicate)
      AND (of_kind IS NULL OR f.kind = of_kind)
      AND (subjects IS NULL OR f.subject_id = ANY (subjects))
      AND (about IS NULL OR f.subject_id = about OR f.object_id = about)
      AND (SELECT coalesce(bool_or(v.segment_key = 0 OR coalesce((
                      SELECT bool_or(s.scope = ANY (in_scopes) AND s.replaced_by IS NULL AND src.sensitivity <= up_to)
                      FROM segments s JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
                      WHERE s.segment_key = v.segment_key), false)), true)
           FROM evidence v WHERE v.user_id = f.user_id AND v.fact_id = f.fact_id)
      AND (f.kind <> 'meta' OR seen_support(whose, in_scopes, up_to, f.fact_id)
           OR EXISTS (SELECT 1 FROM evidence v WHERE v.user_id = f.user_id AND v.fact_id = f.fact_id))
$$;
