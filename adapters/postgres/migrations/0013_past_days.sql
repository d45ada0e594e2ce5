-- Past days across sensitivities (decision 0044): when a fact is out, for who sees several, by words of another one.
-- The moments of both sides tell; the order of two of one moment depends on the stems of words, and is not known here.

-- What a version of a fact says, and every moment for which its words vouch, as far as it was known then: UTC epoch
-- seconds in order, its beginning first.
CREATE FUNCTION told_known(whose text, known timestamptz, f fact_versions) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'fact_id', f.fact_id, 'predicate', f.predicate, 'polarity', f.polarity,
        'object', (SELECT c.words FROM content c WHERE c.scope = 'user:' || whose AND c.content_id = f.object),
        'moments', (
            SELECT jsonb_agg(DISTINCT m.moment ORDER BY m.moment)
            FROM (SELECT extract(epoch FROM f.valid_from)::float8 AS moment
                  UNION ALL
                  SELECT unnest(v.earlier || extract(epoch FROM coalesce(v.holds_from, v.at))::float8)
                  FROM evidence v WHERE v.user_id = whose AND v.fact_id = f.fact_id AND known IS NULL
                  UNION ALL
                  SELECT coalesce((v.row ->> 'holds_from')::float8, (v.row ->> 'at')::float8)
                  FROM rows_known(whose, 'evidence', known) v WHERE v.id = f.fact_id
                  UNION ALL
                  SELECT e::text::float8
                  FROM rows_known(whose, 'evidence', known) v
                  CROSS JOIN LATERAL jsonb_array_elements(coalesce(v.row -> 'earlier', '[]')) e
                  WHERE v.id = f.fact_id) m
            WHERE m.moment >= extract(epoch FROM f.valid_from)::float8))
$$;

-- A version of a fact, and what stands against it in sight, of other sensitivities, as it was believed at `known`; null
-- if nothing does.
CREATE FUNCTION against_known(whose text, in_scopes text[], up_to integer, known timestamptz, of_fact text,
                              of_version integer)
RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object('fact', told_known(whose, known, f), 'against', (
        SELECT jsonb_agg(told_known(whose, known, z) || jsonb_build_object('superseding', k.kind = 'supersedes'))
        FROM links_known(whose, known) k
        CROSS JOIN LATERAL (
            SELECT x.* FROM seen_facts_known(whose, in_scopes, up_to, known) x
            WHERE x.fact_id = k.from_id AND x.sensitivity <> f.sensitivity AND x.status IN ('active', 'superseded')
            OFFSET 0) z
        WHERE k.to_id = of_fact AND k.kind IN ('supersedes', 'interrupts')))
    FROM fact_versions f WHERE f.user_id = whose AND f.fact_id = of_fact AND f.version = of_version
$$;
