-- What the front door reads. Everything is seen through a view: the scopes and the clearance of the caller.

-- name: hydrate
-- Planned once (pool.py).
-- Candidates as they are shown: their words, who said them, which entities and facts rest on them.
-- Parameters stand in subselects, here and in `pending`: to the planner all values are then alike, so that it plans once
-- a connection also where nobody says so; with the values in sight it plans anew each time, which takes 2.5 ms.
-- Words are joined from the left, here and wherever sources are joined, too: else the planner may begin with the two it
-- believes small, sources and words, which share their scope alone (80 ms instead of 1.5 in a home of a few long sources).
SELECT s.segment_key, s.segment_id, s.source_id, src.session_id, src.kind, src.offset_s, c.words AS text,
       spoken_by(s.scope, s.speaker) AS speaker, s.role, s.at,
       (SELECT coalesce(array_agg(DISTINCT e.type || ':' || n.words ORDER BY e.type || ':' || n.words), '{}')
        FROM mentions m
        JOIN entities e ON e.user_id = m.user_id AND e.entity_id = m.entity_id AND e.merged_into IS NULL
        JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
        WHERE m.user_id = %(user_id)s AND m.segment_key = s.segment_key) AS entities,
       (SELECT coalesce(array_agg(v.fact_id ORDER BY v.fact_id), '{}')
        FROM evidence v
        JOIN fact_versions f ON f.user_id = v.user_id AND f.fact_id = v.fact_id AND f.system_to IS NULL
        WHERE v.user_id = %(user_id)s AND v.segment_key = s.segment_key
          AND f.status IN ('active', 'superseded') AND f.sensitivity <= %(clearance)s) AS fact_ids,
       -- what was read from these words and is believed no more, and the fact that took its place, if one did
       (SELECT coalesce(jsonb_agg(jsonb_build_object('fact_id', f.fact_id, 'forgotten', f.status = 'forgotten',
                                                     'quote', coalesce(q.words, ''), 'value', coalesce(o.words, ''),
                                                     'instead', i.words, 'instead_id', i.fact_id)
                                  ORDER BY f.fact_id), '[]')
        FROM evidence v
        JOIN fact_versions f ON f.user_id = v.user_id AND f.fact_id = v.fact_id AND f.system_to IS NULL
        LEFT JOIN content q ON q.scope = 'user:' || v.user_id AND q.content_id = v.quote
        LEFT JOIN content o ON o.scope = 'user:' || f.user_id AND o.content_id = f.object
        LEFT JOIN LATERAL (
            SELECT t.words, z.fact_id
            FROM links k
            JOIN fact_versions z ON z.user_id = k.user_id AND z.fact_id = k.from_id AND z.system_to IS NULL
            JOIN content t ON t.scope = 'user:' || z.user_id AND t.content_id = z.statement
            CROSS JOIN LATERAL (SELECT FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) x
                                WHERE x.fact_id = z.fact_id AND x.system_to IS NULL OFFSET 0) seen
            WHERE k.user_id = f.user_id AND k.to_id = f.fact_id AND k.kind = 'supersedes' AND z.status = 'active'
            ORDER BY z.system_from DESC, z.fact_id LIMIT 1) i ON true
        WHERE v.user_id = %(user_id)s AND v.segment_key = s.segment_key
          AND f.status IN ('invalidated', 'forgotten') AND f.sensitivity <= %(clearance)s) AS refuted,
       -- what the same speaker said next, for it may take these words back
       (SELECT a.words
        FROM (SELECT n.speaker, n.content_id FROM segments n
              WHERE n.scope = s.scope AND n.source_id = s.source_id AND n.replaced_by IS NULL
                AND n.at BETWEEN s.at AND s.at + interval '1 hour' AND (n.at, n.ord) > (s.at, s.ord)
              ORDER BY n.at, n.ord LIMIT 2) n
        JOIN content a ON a.scope = s.scope AND a.content_id = n.content_id
        WHERE n.speaker = s.speaker LIMIT 1) AS next_words
FROM segments s
JOIN sources src USING (scope, source_id)
LEFT JOIN content c USING (scope, content_id)
WHERE s.scope = ANY((SELECT %(scopes)s::text[])::text[]) AND s.segment_key = ANY((SELECT %(keys)s::bigint[])::bigint[])
  AND src.sensitivity <= (SELECT %(clearance)s::smallint) AND s.replaced_by IS NULL;

-- name: pending
-- Pieces of work still open, as this user is concerned by them.
SELECT count(*) FILTER (WHERE task = 'embed') AS embedding, count(*) FILTER (WHERE task = 'read') AS extraction
FROM work w JOIN sources s USING (scope, source_id)
WHERE w.scope = ANY((SELECT %(scopes)s::text[])::text[]) AND w.user_id IN ('', (SELECT %(user_id)s::text))
  AND s.sensitivity <= (SELECT %(clearance)s::smallint);

-- name: mentioning
-- Who is meant comes first, or every mention there is would be joined with its entity.
WITH meant AS MATERIALIZED (
    SELECT e.entity_id FROM entities e
    LEFT JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
    LEFT JOIN content a ON a.scope = 'user:' || e.user_id AND a.content_id = e.aliases
    WHERE e.user_id = %(user_id)s AND e.sensitivity <= %(clearance)s AND (%(type)s::text IS NULL OR e.type = %(type)s)
      AND (%(entity)s::text IS NULL OR e.entity_id = %(entity)s OR lower(n.words) = lower(%(entity)s)
           OR lower(coalesce(a.words, '[]'))::jsonb ? lower(%(entity)s)))
SELECT DISTINCT m.segment_key FROM mentions m
WHERE m.user_id = %(user_id)s AND m.entity_id = ANY(ARRAY(SELECT entity_id FROM meant));
