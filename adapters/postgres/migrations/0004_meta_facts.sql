-- Meta facts: what was concluded of several facts is seen by whoever sees all of them, and by nobody else.

-- A fact is seen by its own sensitivity, unless all the words it rests on, or any of the facts, are out of sight.
CREATE OR REPLACE FUNCTION seen_facts(whose text, in_scopes text[], up_to integer) RETURNS SETOF fact_versions
LANGUAGE sql STABLE AS $$
    SELECT f.* FROM fact_versions f
    WHERE f.user_id = whose AND f.sensitivity <= up_to
      AND (EXISTS (SELECT 1 FROM seen_evidence(whose, in_scopes, up_to) v WHERE v.fact_id = f.fact_id)
           OR (NOT EXISTS (SELECT 1 FROM evidence v WHERE v.user_id = whose AND v.fact_id = f.fact_id)
               AND (f.kind <> 'meta' OR seen_support(whose, in_scopes, up_to, f.fact_id))))
$$;
