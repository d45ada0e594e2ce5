-- What a fact in sight is about is in sight (decision 0060). A reader may believe something of what it took for no entity;
-- that was mentioned nowhere, so no list showed it, while facts spoke of it and its name was taken.

-- When an entity was first and last spoken of by facts in sight, as it was known at `known` and had been said by `as_of`;
-- no row if by none. A fact that has lost its words speaks of nothing.
CREATE FUNCTION seen_spoken(whose text, in_scopes text[], up_to integer, known timestamptz, as_of timestamptz, of_entity text)
RETURNS TABLE (first_seen timestamptz, last_seen timestamptz) LANGUAGE sql STABLE AS $$
    SELECT min(v.at), max(v.at)
    FROM (SELECT f.* FROM fact_versions f WHERE f.user_id = whose AND f.subject_id = of_entity
          UNION ALL
          SELECT f.* FROM fact_versions f WHERE f.user_id = whose AND f.object_id = of_entity) f
    CROSS JOIN LATERAL (SELECT e.at FROM seen_evidence_known(whose, in_scopes, up_to, known) e
                        WHERE e.fact_id = f.fact_id OFFSET 0) v
    WHERE f.sensitivity <= up_to AND (as_of IS NULL OR v.at <= as_of)
      AND CASE WHEN known IS NULL THEN f.system_to IS NULL
               ELSE f.system_from <= known AND (f.system_to IS NULL OR f.system_to > known) END
    HAVING count(*) > 0
$$;

-- When an entity that is mentioned nowhere in sight was heard of all the same: it was born of a command, or a fact speaks
-- of it. No row if neither. The evidence is looked through only where no command bore it.
CREATE FUNCTION seen_unmentioned(whose text, in_scopes text[], up_to integer, known timestamptz, as_of timestamptz,
                                 of_entity text, born timestamptz)
RETURNS TABLE (first_seen timestamptz, last_seen timestamptz) LANGUAGE sql STABLE AS $$
    SELECT coalesce(c.at, s.first_seen), coalesce(c.at, s.last_seen)
    FROM (SELECT CASE WHEN (as_of IS NULL OR born <= as_of) AND born_of_command(whose, born) THEN born END AS at
          OFFSET 0) c
    LEFT JOIN LATERAL (SELECT t.* FROM seen_spoken(whose, in_scopes, up_to, known, as_of, of_entity) t
                       WHERE c.at IS NULL) s ON true
    WHERE c.at IS NOT NULL OR s.first_seen IS NOT NULL
$$;

CREATE OR REPLACE FUNCTION seen_spans(whose text, in_scopes text[], up_to integer, known timestamptz, as_of timestamptz,
                                      ids text[])
RETURNS TABLE (entity_id text, first_seen timestamptz, last_seen timestamptz, mention_count bigint) LANGUAGE sql STABLE AS $$
    WITH heard AS (
        SELECT m.entity_id, min(m.at) AS first_seen, max(m.at) AS last_seen, count(*) AS mentions
        FROM seen_mentions_known(whose, in_scopes, up_to, known) m
        WHERE (as_of IS NULL OR m.at <= as_of) AND (ids IS NULL OR m.entity_id = ANY (ids))
        GROUP BY m.entity_id)
    SELECT h.entity_id, h.first_seen, h.last_seen, h.mentions FROM heard h
    UNION ALL
    SELECT b.entity_id, u.first_seen, u.last_seen, 0
    FROM (SELECT e.entity_id, e.created_at FROM entities_known(whose, known) e
          WHERE e.merged_into IS NULL AND e.sensitivity <= up_to AND (ids IS NULL OR e.entity_id = ANY (ids))
            AND NOT EXISTS (SELECT 1 FROM heard h WHERE h.entity_id = e.entity_id)
          OFFSET 0) b  -- OFFSET 0: the journal is asked of those alone that nobody mentions
    CROSS JOIN LATERAL seen_unmentioned(whose, in_scopes, up_to, known, as_of, b.entity_id, b.created_at) u
$$;

CREATE OR REPLACE FUNCTION seen_entities(whose text, in_scopes text[], up_to integer)
RETURNS TABLE (entity_id text, first_seen timestamptz, last_seen timestamptz, mention_count bigint,
               session_count bigint, source_count bigint)
LANGUAGE sql STABLE AS $$
    -- by source, then by session, then in all: counted by hashing, where count(DISTINCT) would sort
    SELECT a.entity_id, min(a.first_seen), max(a.last_seen), sum(a.mentions)::bigint, count(*), sum(a.sources)::bigint
    FROM (SELECT b.entity_id, b.scope, b.session_id, min(b.first_seen) AS first_seen, max(b.last_seen) AS last_seen,
                 sum(b.mentions) AS mentions, count(*) AS sources
          FROM (SELECT m.entity_id, s.scope, src.session_id, s.source_id, min(m.at) AS first_seen,
                       max(m.at) AS last_seen, count(*) AS mentions
                FROM mentions m
                JOIN segments s ON s.segment_key = m.segment_key
                JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
                WHERE m.user_id = whose AND s.scope = ANY (in_scopes) AND src.sensitivity <= up_to
                  AND s.replaced_by IS NULL
                GROUP BY m.entity_id, s.scope, src.session_id, s.source_id) b
          GROUP BY b.entity_id, b.scope, b.session_id) a
    GROUP BY a.entity_id
    UNION ALL
    SELECT e.entity_id, u.first_seen, u.last_seen, 0, 0, 0
    FROM entities e
    CROSS JOIN LATERAL seen_unmentioned(whose, in_scopes, up_to, NULL, NULL, e.entity_id, e.created_at) u
    WHERE e.user_id = whose AND e.merged_into IS NULL AND e.sensitivity <= up_to
      AND NOT EXISTS (SELECT 1 FROM seen_mentions(whose, in_scopes, up_to) m WHERE m.entity_id = e.entity_id)
$$;

CREATE OR REPLACE FUNCTION seen_entities_known(whose text, in_scopes text[], up_to integer, known timestamptz,
                                               as_of timestamptz)
RETURNS TABLE (entity_id text, first_seen timestamptz, last_seen timestamptz, mention_count bigint,
               session_count bigint, source_count bigint)
LANGUAGE sql STABLE AS $$
    SELECT a.entity_id, min(a.first_seen), max(a.last_seen), sum(a.mentions)::bigint, count(*), sum(a.sources)::bigint
    FROM (SELECT b.entity_id, b.scope, b.session_id, min(b.first_seen) AS first_seen, max(b.last_seen) AS last_seen,
                 sum(b.mentions) AS mentions, count(*) AS sources
          FROM (SELECT m.entity_id, s.scope, src.session_id, s.source_id, min(m.at) AS first_seen,
                       max(m.at) AS last_seen, count(*) AS mentions
                FROM mentions_known(whose, known) m
                JOIN segments s ON s.segment_key = m.segment_key
                JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
                WHERE s.scope = ANY (in_scopes) AND src.sensitivity <= up_to AND s.replaced_by IS NULL
                  AND (as_of IS NULL OR m.at <= as_of)
                GROUP BY m.entity_id, s.scope, src.session_id, s.source_id) b
          GROUP BY b.entity_id, b.scope, b.session_id) a
    GROUP BY a.entity_id
    UNION ALL
    SELECT e.entity_id, u.first_seen, u.last_seen, 0, 0, 0
    FROM entities_known(whose, known) e
    CROSS JOIN LATERAL seen_unmentioned(whose, in_scopes, up_to, known, as_of, e.entity_id, e.created_at) u
    WHERE e.merged_into IS NULL AND e.sensitivity <= up_to
      AND NOT EXISTS (SELECT 1 FROM seen_mentions_known(whose, in_scopes, up_to, known) m
                      WHERE m.entity_id = e.entity_id AND (as_of IS NULL OR m.at <= as_of))
$$;
