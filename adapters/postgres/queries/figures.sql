-- Figures and days: what adds up, through the view of the caller.

-- name: heard
-- Counted by session and then in all, by hashing: count(DISTINCT) would sort every segment.
SELECT count(*) AS sessions, coalesce(sum(b.segments), 0)::bigint AS segments
FROM (SELECT count(*) AS segments
      FROM seen_segments(%(scopes)s, %(clearance)s) s
      JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
      GROUP BY s.scope, src.session_id) b;

-- name: living
-- Planned anew (pool.py).
-- Tier of every entity in sight, and what its strength is made of.
SELECT e.type, e.tier, e.ttl_policy, e.is_owner, e.confidence, g.first_seen, g.last_seen, r.*,
       CASE WHEN e.type = 'promise' THEN p.words END AS properties
FROM seen_spans(%(user_id)s, %(scopes)s, %(clearance)s, NULL, NULL, NULL) g
JOIN entities e ON e.user_id = %(user_id)s AND e.entity_id = g.entity_id AND e.merged_into IS NULL
LEFT JOIN content p ON e.type = 'promise' AND p.scope = 'user:' || e.user_id AND p.content_id = e.properties
CROSS JOIN LATERAL recalls_of(e.user_id, e.entity_id) r;

-- name: lag
-- Seconds since the oldest work still queued was asked for.
SELECT coalesce(extract(epoch FROM now() - min(w.queued_at)), 0)::float8 AS seconds
FROM work w JOIN sources s USING (scope, source_id)
WHERE w.scope = ANY(%(scopes)s) AND w.user_id IN ('', %(user_id)s) AND s.sensitivity <= %(clearance)s;

-- name: set_aside
-- Segments in sight that are not read any more for this user.
SELECT count(*) AS count FROM tried t
JOIN segments s ON s.scope = t.scope AND s.segment_key = t.segment_key AND s.revision = t.revision
JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
WHERE t.user_id = %(user_id)s AND t.attempts >= %(tries)s
  AND t.scope = ANY(%(scopes)s) AND src.sensitivity <= %(clearance)s;

-- name: day
-- How many sessions a stretch of time holds, and the segments that say most, in order: `place` 1 says most, by entities
-- and then by words. `next_words` is what the same speaker said next, for it may take these words back.
WITH said AS (
    SELECT s.*, src.session_id, c.words AS text,
           (SELECT count(*) FROM mentions m WHERE m.user_id = %(user_id)s AND m.segment_key = s.segment_key) AS weight
    FROM seen_segments(%(scopes)s, %(clearance)s) s
    JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
    LEFT JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
    WHERE s.at >= to_timestamp(%(start)s) AND s.at < to_timestamp(%(end)s))
SELECT b.segment_key, b.at, spoken_by(b.scope, b.speaker) AS speaker, b.text, b.place,
       (SELECT count(DISTINCT (scope, session_id)) FROM said) AS sessions,
       (SELECT a.words
        FROM (SELECT n.speaker, n.content_id FROM segments n
              WHERE n.scope = b.scope AND n.source_id = b.source_id AND n.replaced_by IS NULL
                AND n.at BETWEEN b.at AND b.at + interval '1 hour' AND (n.at, n.ord) > (b.at, b.ord)
              ORDER BY n.at, n.ord LIMIT 2) n
        JOIN content a ON a.scope = b.scope AND a.content_id = n.content_id
        WHERE n.speaker = b.speaker LIMIT 1) AS next_words
FROM (SELECT *, row_number() OVER (ORDER BY weight DESC, length(text) DESC, segment_key) AS place
      FROM said ORDER BY place LIMIT %(limit)s) b
ORDER BY b.at, b.start_s, b.ord;

-- name: day_entities
-- What a stretch of time speaks of, by type, the most mentioned first.
SELECT e.type, n.words AS name, e.is_owner, count(*) AS mentions
FROM seen_mentions(%(user_id)s, %(scopes)s, %(clearance)s) m
JOIN entities e ON e.user_id = m.user_id AND e.entity_id = m.entity_id AND e.merged_into IS NULL
JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
WHERE m.at >= to_timestamp(%(start)s) AND m.at < to_timestamp(%(end)s) AND e.type = ANY(%(types)s)
GROUP BY e.entity_id, e.type, n.words, e.is_owner
ORDER BY mentions DESC, n.words;

-- name: day_emotions
-- What was felt, in order: as the recording device heard it, and as the words say it. A guess of ours, which has a
-- method, counts for nothing here: its accuracy was never measured.
SELECT felt FROM (
    SELECT s.at, s.start_s, s.ord, lower(s.emotion ->> 'label') AS felt
    FROM seen_segments(%(scopes)s, %(clearance)s) s
    WHERE s.at >= to_timestamp(%(start)s) AND s.at < to_timestamp(%(end)s) AND s.emotion ->> 'label' IS NOT NULL
      AND s.emotion ->> 'method' IS NULL
    UNION ALL
    SELECT s.at, s.start_s, s.ord, lower(n.words)
    FROM seen_mentions(%(user_id)s, %(scopes)s, %(clearance)s) m
    JOIN segments s ON s.segment_key = m.segment_key AND s.scope = ANY(%(scopes)s)
    JOIN entities e ON e.user_id = m.user_id AND e.entity_id = m.entity_id AND e.type = 'emotion'
    JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
    WHERE m.at >= to_timestamp(%(start)s) AND m.at < to_timestamp(%(end)s)) f
WHERE felt NOT IN ('', 'neutral')
ORDER BY at, start_s, ord, felt;

-- name: timeline
-- Segments and facts in time order, as they were known at `known`; a fact stands where it began to be true. With `as_of`
-- what had been said by then, and what was true then.
-- Each scope is read in the order of time as far as the limit, and words are looked up for what is left: joined before,
-- every segment would be read, joined and sorted for a page of fifty. So are the facts: whether one is in sight is looked
-- up for that one, or all that any fact rests on would be read first. What mentions an entity is found by its mentions.
WITH heard AS (
    SELECT 'segment' AS kind, s.at, s.key, s.segment_id, s.source_id,
           spoken_by(s.scope, s.speaker) AS speaker, c.words AS text,
           NULL::text AS fact_id, NULL::text AS subject, NULL::timestamptz AS until
    FROM (
        SELECT l.* FROM unnest(%(scopes)s::text[]) AS one (scope)
        CROSS JOIN LATERAL (
            SELECT s.scope, s.content_id, s.at, s.segment_key::text AS key, s.segment_id, s.source_id, s.speaker
            FROM seen_segments(%(scopes)s, %(clearance)s) s
            WHERE s.scope = one.scope AND %(entities)s::text[] IS NULL
              AND s.at >= greatest(to_timestamp(%(after)s::float8), to_timestamp(%(mark)s::float8), '-infinity')
              AND s.at < coalesce(to_timestamp(%(before)s::float8), 'infinity')
              AND s.at <= coalesce(to_timestamp(%(as_of)s::float8), 'infinity')
              AND (%(known)s::float8 IS NULL OR s.committed_at <= to_timestamp(%(known)s))
              AND (%(mark)s::float8 IS NULL OR (s.at, s.segment_key::text) > (to_timestamp(%(mark)s), %(key)s))
            ORDER BY s.at, key LIMIT %(limit)s) l
        UNION ALL
        SELECT l.* FROM (
            SELECT s.scope, s.content_id, s.at, s.segment_key::text AS key, s.segment_id, s.source_id, s.speaker
            FROM seen_segments(%(scopes)s, %(clearance)s) s
            WHERE %(entities)s::text[] IS NOT NULL
              AND s.segment_key IN (SELECT m.segment_key
                                    FROM mentions_known(%(user_id)s, to_timestamp(%(known)s::float8)) m
                                    WHERE m.entity_id = ANY(%(entities)s))
              AND s.at >= greatest(to_timestamp(%(after)s::float8), to_timestamp(%(mark)s::float8), '-infinity')
              AND s.at < coalesce(to_timestamp(%(before)s::float8), 'infinity')
              AND s.at <= coalesce(to_timestamp(%(as_of)s::float8), 'infinity')
              AND (%(known)s::float8 IS NULL OR s.committed_at <= to_timestamp(%(known)s))
              AND (%(mark)s::float8 IS NULL OR (s.at, s.segment_key::text) > (to_timestamp(%(mark)s), %(key)s))
            ORDER BY s.at, key LIMIT %(limit)s) l
        ORDER BY at, key LIMIT %(limit)s) s
    LEFT JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id),
believed AS (
    SELECT 'fact' AS kind, f.valid_from AS at, f.fact_id AS key, NULL::text, NULL::text, NULL::text, t.words AS text,
           f.fact_id, n.words AS subject, f.valid_to AS until
    FROM fact_versions f
    CROSS JOIN LATERAL (
        SELECT FROM seen_facts_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) z
        WHERE z.fact_id = f.fact_id AND z.version = f.version OFFSET 0) seen  -- OFFSET 0: looked up one by one
    LEFT JOIN LATERAL (SELECT x.* FROM entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
                       WHERE x.entity_id = f.subject_id OFFSET 0) e ON true
    LEFT JOIN content n ON n.scope = 'user:' || f.user_id AND n.content_id = e.name
    LEFT JOIN content t ON t.scope = 'user:' || f.user_id AND t.content_id = f.statement
    WHERE f.user_id = %(user_id)s AND f.sensitivity <= %(clearance)s AND f.status IN ('active', 'superseded')
      AND CASE WHEN %(known)s::float8 IS NULL THEN f.system_to IS NULL
               ELSE f.system_from <= to_timestamp(%(known)s)
                    AND (f.system_to IS NULL OR f.system_to > to_timestamp(%(known)s)) END
      AND (%(as_of)s::float8 IS NULL
           OR (f.valid_from <= to_timestamp(%(as_of)s)
               AND (f.valid_to IS NULL OR f.valid_to > to_timestamp(%(as_of)s))))
      AND (%(after)s::float8 IS NULL OR f.valid_from >= to_timestamp(%(after)s))
      AND (%(before)s::float8 IS NULL OR f.valid_from < to_timestamp(%(before)s))
      AND (%(mark)s::float8 IS NULL OR (f.valid_from, f.fact_id) > (to_timestamp(%(mark)s), %(key)s))
      AND (%(entities)s::text[] IS NULL OR f.subject_id = ANY(%(entities)s) OR f.object_id = ANY(%(entities)s))
    ORDER BY f.valid_from, key LIMIT %(limit)s)
SELECT b.*
FROM (SELECT * FROM heard UNION ALL SELECT * FROM believed) b
ORDER BY b.at, b.key LIMIT %(limit)s;

-- name: named
-- Entities in sight that an id or a name means, or meant at `known`.
SELECT e.entity_id
FROM entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) e
LEFT JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
CROSS JOIN LATERAL (SELECT FROM seen_entity(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8),
                                            NULL, e.entity_id) LIMIT 1) seen
WHERE e.merged_into IS NULL
  AND (e.entity_id = %(name)s OR lower(n.words) = lower(%(name)s));

-- name: shape
-- Planned anew (pool.py).
-- What a memory is made of: its nodes by type, its facts by kind, its links by kind with both ends in sight, entities no
-- fact speaks of, and bytes kept.
WITH living AS (
    SELECT e.entity_id, e.type, g.mention_count
    FROM seen_spans(%(user_id)s, %(scopes)s, %(clearance)s, NULL, NULL, NULL) g
    JOIN entities e ON e.user_id = %(user_id)s AND e.entity_id = g.entity_id AND e.merged_into IS NULL),
facts AS (
    SELECT f.fact_id, f.subject_id, f.object_id, f.kind, f.status
    FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f WHERE f.system_to IS NULL),
held AS (SELECT * FROM facts WHERE status = 'active'),
ends AS (SELECT subject_id AS id FROM held UNION SELECT object_id FROM held),
known AS (SELECT entity_id AS id FROM living UNION ALL SELECT fact_id FROM facts),
tied AS (
    SELECT k.kind, count(*) AS n FROM links k JOIN known one ON one.id = k.from_id JOIN known other ON other.id = k.to_id
    WHERE k.user_id = %(user_id)s GROUP BY k.kind)
SELECT (SELECT coalesce(jsonb_object_agg(type, n), '{}') FROM (SELECT type, count(*) AS n FROM living GROUP BY type) t)
           AS entities,
       (SELECT coalesce(jsonb_object_agg(kind, n), '{}') FROM (SELECT kind, count(*) AS n FROM held GROUP BY kind) k)
           AS facts,
       (SELECT coalesce(jsonb_object_agg(kind, n), '{}') FROM tied) AS links,
       (SELECT coalesce(sum(mention_count), 0)::bigint FROM living) AS mentions,
       (SELECT count(*)
        FROM (SELECT fact_id FROM seen_evidence(%(user_id)s, %(scopes)s, %(clearance)s) OFFSET 0) v  -- all at once
        WHERE v.fact_id IN (SELECT fact_id FROM held)) AS evidence,
       (SELECT count(*) FROM living l WHERE NOT EXISTS (SELECT 1 FROM ends WHERE ends.id = l.entity_id)) AS orphans,
       (SELECT coalesce(sum(octet_length(c.words)), 0)::bigint
        FROM seen_segments(%(scopes)s, %(clearance)s) s
        JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id)
           + (SELECT coalesce(sum(pg_column_size(v.vector) + pg_column_size(v.pieces)), 0)::bigint
              FROM seen_segments(%(scopes)s, %(clearance)s) s
              JOIN segment_vectors v ON v.scope = s.scope AND v.segment_key = s.segment_key)
           + (SELECT coalesce(sum(pg_column_size(v.vector)), 0)::bigint
              FROM fact_vectors v WHERE v.user_id = %(user_id)s AND v.fact_id IN (SELECT id FROM known)) AS storage_bytes;

-- name: upkeep
-- When each of these commands was last carried out and not taken back.
SELECT j.kind, max(j.at) AS at FROM journal j
WHERE j.user_id = %(user_id)s AND j.kind = ANY(%(kinds)s)
  AND NOT EXISTS (SELECT 1 FROM journal u WHERE u.user_id = j.user_id AND u.undoes = j.command_id)
GROUP BY j.kind;
