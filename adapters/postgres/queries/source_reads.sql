-- Sources as the front door shows them, through the view of the caller.

-- name: sources
-- Sources in sight, the latest first, and how far each is for this user; the archived only by their id.
WITH found AS (
    SELECT s.*, w.attempts, w.last_error,
           CASE WHEN w.attempts >= %(attempts)s THEN 'failed' WHEN w.embedding THEN 'raw'
                WHEN w.reading THEN 'processed' WHEN t.set_aside > 0 THEN 'failed' ELSE 'extracted' END AS status,
           t.set_aside
    FROM sources s
    CROSS JOIN LATERAL (
        SELECT count(*) AS set_aside FROM tried a
        JOIN segments g ON g.scope = a.scope AND g.segment_key = a.segment_key AND g.revision = a.revision
        WHERE a.user_id = %(user_id)s AND a.scope = s.scope AND g.source_id = s.source_id
          AND a.attempts >= %(tries)s) t
    CROSS JOIN LATERAL (
        SELECT coalesce(max(k.attempts), 0) AS attempts, max(k.last_error) AS last_error,
               coalesce(bool_or(k.task = 'embed'), false) AS embedding,
               coalesce(bool_or(k.task = 'read'), false) AS reading
        FROM work k
        WHERE k.scope = s.scope AND k.source_id = s.source_id AND k.user_id IN ('', %(user_id)s)) w
    WHERE s.scope = ANY(%(scopes)s) AND s.sensitivity <= %(clearance)s
      AND (%(only_scope)s::text IS NULL OR (s.scope = %(only_scope)s AND s.source_id = %(only_id)s))
      AND ((s.state = 'archived') = %(archived)s::boolean OR %(only_scope)s::text IS NOT NULL)
      AND (%(kind)s::text IS NULL OR s.kind = %(kind)s)
      AND (%(groups)s::text[] IS NULL OR coalesce(s.provenance ->> 'group_id', '') = ANY(%(groups)s))
      AND (%(after)s::float8 IS NULL OR s.started_at >= to_timestamp(%(after)s))
      AND (%(before)s::float8 IS NULL OR s.started_at < to_timestamp(%(before)s))),
kept AS (SELECT * FROM found WHERE %(status)s::text IS NULL OR status = %(status)s)
SELECT k.*, extract(epoch FROM k.started_at)::float8 AS mark, k.scope || ' ' || k.source_id AS key,
       (SELECT count(*) FROM segments g WHERE g.scope = k.scope AND g.source_id = k.source_id
        AND g.replaced_by IS NULL) AS segments, (SELECT count(*) FROM kept) AS total
FROM kept k
WHERE %(mark)s::float8 IS NULL OR (k.started_at, k.scope || ' ' || k.source_id) < (to_timestamp(%(mark)s), %(key)s)
ORDER BY k.started_at DESC, k.scope || ' ' || k.source_id DESC LIMIT %(limit)s;

-- name: resolve
-- What an id or its beginning means: an exact id first, in the user's own scope before a team's. Two rows at most.
SELECT s.scope, s.source_id AS id FROM sources s
WHERE s.scope = ANY(%(scopes)s) AND s.sensitivity <= %(clearance)s AND starts_with(s.source_id, %(id)s)
ORDER BY s.source_id <> %(id)s, array_position(%(scopes)s::text[], s.scope), s.source_id LIMIT 2;

-- name: groups
-- The group that each of these sources was told in, where one was named.
SELECT s.source_id, s.provenance ->> 'group_id' AS group_id FROM sources s
WHERE s.scope = ANY(%(scopes)s) AND s.sensitivity <= %(clearance)s AND s.source_id = ANY(%(ids)s)
  AND s.provenance ->> 'group_id' IS NOT NULL;

-- name: highest
-- The highest sensitivity of what is in sight; facts may be told by commands, without a source.
SELECT greatest((SELECT max(s.sensitivity) FROM sources s
                 WHERE s.scope = ANY(%(scopes)s) AND s.sensitivity <= %(clearance)s),
                (SELECT max(f.sensitivity) FROM fact_versions f
                 WHERE f.user_id = %(user_id)s AND f.system_to IS NULL AND f.sensitivity <= %(clearance)s), 0) AS level;

-- name: segments
-- All segments of a source in order, those hidden by a better transcription too, but for what was taken back.
-- What they came as only if asked for: it may be far longer than the words.
SELECT s.segment_id, CASE WHEN %(labels)s THEN s.speaker ELSE spoken_by(s.scope, s.speaker) END AS speaker,
       s.role, s.at, s.start_s AS start, s.end_s AS "end", s.language, s.stt_engine, s.emotion, s.is_sweep,
       s.pinned, s.revision, s.replaced_by, c.words AS text, CASE WHEN %(raws)s THEN r.words END AS raw,
       CASE WHEN t.attempts >= %(tries)s THEN coalesce(t.reason, 'The process that read it has ended.') END AS set_aside
FROM segments s JOIN content c USING (scope, content_id) LEFT JOIN raws r USING (scope, segment_key)
LEFT JOIN tried t ON t.user_id = %(user_id)s AND t.scope = s.scope AND t.segment_key = s.segment_key
     AND t.revision = s.revision
WHERE s.scope = %(scope)s AND s.source_id = %(source_id)s
  AND (%(ids)s::text[] IS NULL OR s.segment_id = ANY(%(ids)s)) AND (c.words <> '' OR s.replaced_by IS NULL)
ORDER BY s.start_s, s.ord;

-- name: forgotten
-- Which of these sources have a tombstone.
SELECT u.source_id FROM unnest(%(ids)s::text[]) AS u (source_id)
JOIN tombstones t ON t.scope = %(scope)s AND t.hash = sha256(
    (SELECT value FROM secrets WHERE name = 'tombstone') || convert_to('source:' || u.source_id, 'UTF8'));

-- name: out_of_sight
-- Sources above a clearance that were heard between two moments, and whose sound may lie in the files of a session: in
-- those of the same session, or of the same device.
SELECT o.session_id, o.source_id, o.started_at, o.ended_at FROM (
    SELECT s.session_id, s.source_id, s.started_at,
           greatest(s.started_at, s.ended_at,
                    (SELECT max(s.started_at + make_interval(secs => g.end_s)) FROM segments g
                     WHERE g.scope = s.scope AND g.source_id = s.source_id)) AS ended_at
    FROM sources s
    WHERE s.scope = %(scope)s AND s.sensitivity > %(clearance)s AND s.started_at <= to_timestamp(%(ended)s)
      AND split_part(s.session_id, '-', 1) = split_part(%(session_id)s, '-', 1)) o
WHERE o.ended_at >= to_timestamp(%(began)s) ORDER BY o.started_at, o.source_id;
