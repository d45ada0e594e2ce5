-- Capture: sources and segments, and the work they ask for.

-- name: next_position
-- The row lock of the scope orders its commits: whoever sees position n has seen everything before it.
INSERT INTO scopes (scope, position) VALUES (%(scope)s, 1)
ON CONFLICT (scope) DO UPDATE SET position = scopes.position + 1
RETURNING position;

-- name: is_forgotten
SELECT 1 FROM tombstones
WHERE scope = %(scope)s
  AND hash = sha256((SELECT value FROM secrets WHERE name = 'tombstone') || convert_to(%(key)s, 'UTF8'));

-- name: bury
-- Before the source goes: when it began and ended is kept with it, masked (migration 0040).
INSERT INTO tombstones (scope, hash, at, began, ended)
SELECT %(scope)s, keyed('source:' || id.source_id), now(), masked_began(s), masked_ended(s)
FROM (SELECT %(source_id)s::text AS source_id) AS id
LEFT JOIN sources s ON s.scope = %(scope)s AND s.source_id = id.source_id
ON CONFLICT DO NOTHING;

-- name: unbury
DELETE FROM tombstones
WHERE scope = %(scope)s
  AND hash = sha256((SELECT value FROM secrets WHERE name = 'tombstone') || convert_to(%(key)s, 'UTF8'));

-- name: known_source
SELECT started_at, offset_s, sensitivity, kind, ttl_policy, (SELECT coalesce(max(ord), -1) FROM segments s
        WHERE s.scope = sources.scope AND s.source_id = sources.source_id) AS last_ord
FROM sources WHERE scope = %(scope)s AND source_id = %(source_id)s;

-- name: known_segments
-- Those told again; all of them where a sweep or a correction, known or told now, may hide what it overlaps.
SELECT s.segment_key, s.segment_id, s.speaker, s.role, c.words AS text, s.start_s, s.end_s, s.language, s.stt_engine,
       s.emotion, s.is_sweep, s.pinned, s.revision, s.replaced_by, s.ord, r.words AS raw
FROM segments s JOIN content c USING (scope, content_id) LEFT JOIN raws r USING (scope, segment_key)
WHERE s.scope = %(scope)s AND s.source_id = %(source_id)s AND (
    %(every)s OR s.segment_id = ANY(%(ids)s)
    OR EXISTS (SELECT 1 FROM segments w
               WHERE w.scope = %(scope)s AND w.source_id = %(source_id)s AND (w.is_sweep OR w.pinned)));

-- name: put_source
-- A source told again: what is said anew wins, what is left out stays, participants add up.
INSERT INTO sources (scope, source_id, session_id, kind, started_at, ended_at, offset_s, participants, provenance,
                     context_type, device_id, sensitivity, ttl_policy)
VALUES (%(scope)s, %(source_id)s, %(session_id)s, %(kind)s, to_timestamp(%(started_at)s), to_timestamp(%(ended_at)s),
        %(offset_s)s, %(participants)s, %(provenance)s, %(context_type)s, %(device_id)s, %(sensitivity)s, %(ttl_policy)s)
ON CONFLICT (scope, source_id) DO UPDATE SET
    kind = EXCLUDED.kind, started_at = EXCLUDED.started_at, offset_s = EXCLUDED.offset_s,
    ended_at = greatest(sources.ended_at, EXCLUDED.ended_at),
    participants = (SELECT coalesce(array_agg(p ORDER BY first), '{}')
        FROM (SELECT p, min(n) AS first FROM unnest(sources.participants || EXCLUDED.participants) WITH ORDINALITY AS u (p, n)
              GROUP BY p) AS told),
    provenance = sources.provenance || EXCLUDED.provenance,
    context_type = coalesce(EXCLUDED.context_type, sources.context_type),
    device_id = coalesce(EXCLUDED.device_id, sources.device_id),
    sensitivity = EXCLUDED.sensitivity, ttl_policy = EXCLUDED.ttl_policy;

-- name: put_segments
-- All segments of one capture and their words in one statement; each carries the position of its capture. What was
-- forgotten and is told again counts its revisions on: nothing of the words before that is still under way fits it.
WITH said AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(segments)s)
         AS g (segment_key bigint, segment_id text, content_id bigint, words text, config text, speaker text, role text,
               at double precision, ord integer, start_s double precision, end_s double precision, language text,
               stt_engine text, emotion jsonb, is_sweep boolean, pinned boolean, revision integer, replaced_by text,
               raw text)
), words AS (
    INSERT INTO content (scope, content_id, owner, words, config)
    SELECT %(scope)s, content_id, 'segment:' || segment_key, words, config::regconfig FROM said
    ON CONFLICT (scope, content_id) DO UPDATE SET words = EXCLUDED.words, config = EXCLUDED.config
), raw AS (
    INSERT INTO raws (scope, segment_key, words) SELECT %(scope)s, segment_key, raw FROM said WHERE raw IS NOT NULL
    ON CONFLICT (scope, segment_key) DO UPDATE SET words = EXCLUDED.words
), bare AS (
    DELETE FROM raws r USING said WHERE (r.scope, r.segment_key) = (%(scope)s, said.segment_key) AND said.raw IS NULL)
INSERT INTO segments (scope, segment_key, source_id, segment_id, speaker, role, content_id, at, ord, start_s, end_s,
                      language, stt_engine, emotion, is_sweep, pinned, revision, replaced_by, position)
SELECT %(scope)s, segment_key, %(source_id)s, segment_id, speaker, role, content_id, to_timestamp(at), ord, start_s,
       end_s, language, stt_engine, emotion, is_sweep, pinned,
       coalesce((SELECT r.revision + 1 FROM removals r WHERE (r.scope, r.segment_key) = (%(scope)s, said.segment_key)),
                revision),
       replaced_by, %(position)s
FROM said
ON CONFLICT (scope, segment_key) DO UPDATE SET
    speaker = EXCLUDED.speaker, role = EXCLUDED.role, at = EXCLUDED.at, start_s = EXCLUDED.start_s,
    end_s = EXCLUDED.end_s, language = EXCLUDED.language, stt_engine = EXCLUDED.stt_engine,
    emotion = EXCLUDED.emotion, is_sweep = EXCLUDED.is_sweep, pinned = EXCLUDED.pinned, revision = EXCLUDED.revision,
    replaced_by = EXCLUDED.replaced_by, position = EXCLUDED.position, committed_at = now();

-- name: move_segments
-- The source's start, offset or sensitivity changed: every segment's time and visibility did too.
UPDATE segments SET at = to_timestamp(%(started_at)s) + make_interval(secs => start_s), position = %(position)s
WHERE scope = %(scope)s AND source_id = %(source_id)s;

-- name: forget_vectors
-- Of words that were taken back: nothing of them is kept, nor what was made of them.
DELETE FROM segment_vectors WHERE scope = %(scope)s AND segment_key = ANY(%(keys)s);

-- name: unremove
DELETE FROM removals WHERE scope = %(scope)s AND segment_key = ANY(%(keys)s);

-- name: want_work
INSERT INTO work (scope, source_id, task, user_id, position)
SELECT %(scope)s, %(source_id)s, 'embed', '', %(position)s
UNION ALL
SELECT %(scope)s, %(source_id)s, 'read', user_id, %(position)s FROM readers WHERE scope = %(scope)s AND %(read)s
ON CONFLICT (scope, source_id, task, user_id)
DO UPDATE SET attempts = 0, next_attempt = now(), last_error = NULL, position = EXCLUDED.position, asked = EXCLUDED.asked;

-- name: ensure_reader
INSERT INTO readers (scope, user_id) VALUES (%(scope)s, %(user_id)s) ON CONFLICT DO NOTHING;

-- name: new_reader
-- A user reads a team's scope for the first time: everything in it is now to be read for them.
WITH fresh AS (
    INSERT INTO readers (scope, user_id) VALUES (%(scope)s, %(user_id)s) ON CONFLICT DO NOTHING RETURNING scope, user_id)
INSERT INTO work (scope, source_id, task, user_id, position)
SELECT s.scope, s.source_id, 'read', f.user_id, 0 FROM fresh f JOIN sources s USING (scope)
ON CONFLICT DO NOTHING;

-- name: due
-- Users take turns: who was served longest ago (`served`, in that order) goes after who was not, so that nobody waits
-- for all that another has told. Of one user, what was just heard goes before what is made anew, or read for a new reader
-- (position 0); it is read in the order it came, and encoded the latest first. `longest`: what has waited longest goes
-- before all that. Users in `besides` are left out.
SELECT w.scope, w.source_id, w.task, w.user_id, w.attempts, w.asked,
       (SELECT s.session_id FROM sources s WHERE (s.scope, s.source_id) = (w.scope, w.source_id)) AS session_id,
       (SELECT s.sensitivity FROM sources s WHERE (s.scope, s.source_id) = (w.scope, w.source_id)) AS sensitivity
FROM work w
LEFT JOIN unnest(%(served)s::text[]) WITH ORDINALITY AS v (who, turn)
       ON v.who = CASE WHEN w.task = 'embed' THEN w.scope ELSE w.user_id END
WHERE w.task = %(task)s AND w.next_attempt <= to_timestamp(%(now)s) AND w.attempts < %(attempts)s
  AND NOT w.user_id = ANY(%(besides)s::text[])
ORDER BY CASE WHEN %(longest)s THEN w.asked END, w.position = 0, v.turn NULLS FIRST,
         CASE WHEN w.task = 'embed' THEN -w.asked END, w.next_attempt, w.position LIMIT %(limit)s;

-- name: failed
-- Back-off: base * 2^n seconds, capped; after the last attempt the source is listed as failed.
UPDATE work SET attempts = attempts + 1, last_error = %(error)s,
       next_attempt = to_timestamp(%(now)s) + make_interval(secs => least(%(cap_s)s, %(base_s)s * 2 ^ attempts))
WHERE scope = %(scope)s AND source_id = %(source_id)s AND task = %(task)s AND user_id = %(user_id)s;

-- name: retry
UPDATE work SET attempts = 0, next_attempt = now(), last_error = NULL
WHERE scope = %(scope)s AND source_id = %(source_id)s;

-- name: retry_set_aside
-- What was set aside is to be read once more for whom it was.
WITH freed AS (
    DELETE FROM tried t USING segments s
    WHERE t.scope = %(scope)s AND (s.scope, s.segment_key, s.source_id) = (t.scope, t.segment_key, %(source_id)s)
    RETURNING t.user_id)
INSERT INTO work (scope, source_id, task, user_id, position)
SELECT DISTINCT %(scope)s, %(source_id)s, 'read', f.user_id, p.position
FROM freed f, scopes p WHERE p.scope = %(scope)s
ON CONFLICT (scope, source_id, task, user_id)
DO UPDATE SET attempts = 0, next_attempt = now(), last_error = NULL, asked = EXCLUDED.asked;

-- name: hold_scope
-- As a capture does: whoever writes to segments and vectors of a scope waits for whoever began before.
SELECT 1 FROM scopes WHERE scope = %(scope)s FOR UPDATE;

-- name: count_again
-- What was read for a user is to be read once more in the same words: its revision is counted on, and its vectors, which
-- are of these words, with it. What waits for its reading anyway is left, so that to ask twice is to ask once.
WITH again AS (
    UPDATE segments s SET revision = s.revision + 1
    WHERE s.scope = %(scope)s AND s.source_id = %(source_id)s AND s.replaced_by IS NULL
      AND s.revision = (SELECT e.revision FROM extracted e
                        WHERE e.user_id = %(user_id)s AND e.scope = s.scope AND e.segment_key = s.segment_key)
    RETURNING s.segment_key, s.revision)
UPDATE segment_vectors v SET revision = a.revision FROM again a
WHERE v.scope = %(scope)s AND v.segment_key = a.segment_key AND v.revision = a.revision - 1;

-- name: want_reading
-- By everybody who reads the scope, for a revision is everybody's; after what was just heard. What is being encoded was
-- of the revision before: whoever does is not done.
WITH encoding AS (
    UPDATE work SET asked = DEFAULT WHERE scope = %(scope)s AND source_id = %(source_id)s AND task = 'embed')
INSERT INTO work (scope, source_id, task, user_id, position)
SELECT %(scope)s, %(source_id)s, 'read', user_id, 0 FROM readers WHERE scope = %(scope)s
ON CONFLICT (scope, source_id, task, user_id)
DO UPDATE SET attempts = 0, next_attempt = now(), last_error = NULL, asked = EXCLUDED.asked;

-- name: want_vectors
-- The vectors of a source are made anew; each serves until its successor is there.
WITH marked AS (
    UPDATE segment_vectors v SET due = true FROM segments s
    WHERE s.scope = %(scope)s AND s.source_id = %(source_id)s
      AND v.scope = s.scope AND v.segment_key = s.segment_key AND v.encoder = %(encoder)s)
INSERT INTO work (scope, source_id, task, user_id, position) VALUES (%(scope)s, %(source_id)s, 'embed', '', 0)
ON CONFLICT (scope, source_id, task, user_id)
DO UPDATE SET attempts = 0, next_attempt = now(), last_error = NULL, asked = EXCLUDED.asked;

-- name: finish_work
-- Unless it was asked for again in the meantime. Whoever asks takes the lock of the row, so one of both is first.
DELETE FROM work w
USING jsonb_to_recordset(%(tasks)s) AS d (scope text, source_id text, task text, user_id text, asked bigint)
WHERE (w.scope, w.source_id, w.task, w.user_id, w.asked) = (d.scope, d.source_id, d.task, d.user_id, d.asked);

-- name: to_read
-- The first segments of a source that are to be read for this user, in order, each with the few before it that give it
-- context. What was set aside is not even context. Whether a revision was read, or tried, is looked up by its whole key:
-- joined, while there are no statistics, by user and scope alone.
WITH heard AS MATERIALIZED (
    SELECT s.segment_key, s.start_s, s.ord,
           s.revision IS DISTINCT FROM (SELECT e.revision FROM extracted e WHERE e.user_id = %(user_id)s
               AND e.scope = s.scope AND e.segment_key = s.segment_key) AS fresh,
           coalesce((SELECT t.attempts FROM tried t WHERE t.user_id = %(user_id)s AND t.scope = s.scope
               AND t.segment_key = s.segment_key AND t.revision = s.revision), 0) AS tries
    FROM segments s
    WHERE s.scope = %(scope)s AND s.source_id = %(source_id)s AND s.replaced_by IS NULL),
counted AS (
    SELECT h.*, count(*) FILTER (WHERE fresh) OVER (ORDER BY start_s, ord) AS place
    FROM heard h WHERE h.tries < %(tries)s),
near AS (
    SELECT c.*, bool_or(fresh AND place <= %(limit)s) OVER (
        ORDER BY start_s, ord ROWS BETWEEN CURRENT ROW AND %(context)s FOLLOWING) AS wanted
    FROM counted c)
SELECT s.segment_key, s.segment_id, s.revision, spoken_by(s.scope, s.speaker) AS speaker, s.role, s.language, s.at,
       s.start_s, c.words AS text, n.fresh, n.tries, src.offset_s, src.sensitivity, src.kind
FROM near n
JOIN segments s ON s.scope = %(scope)s AND s.segment_key = n.segment_key
JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
LEFT JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
WHERE n.wanted
ORDER BY n.start_s, n.ord;

-- name: speakers
-- Who speaks in a source, so many of them.
SELECT DISTINCT spoken_by(scope, segments.speaker) AS speaker FROM segments
WHERE scope = %(scope)s AND source_id = %(source_id)s ORDER BY speaker LIMIT %(limit)s;

-- name: withdrawn
-- Segments of a source that were read for this user and are hidden now.
SELECT s.segment_key, s.revision FROM segments s
WHERE s.scope = %(scope)s AND s.source_id = %(source_id)s AND s.replaced_by IS NOT NULL
  AND EXISTS (SELECT 1 FROM extracted e
              WHERE e.user_id = %(user_id)s AND e.scope = s.scope AND e.segment_key = s.segment_key);

-- name: stands
SELECT 1 FROM sources WHERE scope = %(scope)s AND source_id = %(source_id)s;

-- name: try_reading
-- Counted before it begins; words that have changed since begin anew.
INSERT INTO tried (user_id, scope, segment_key, revision, attempts)
SELECT %(user_id)s, s.scope, s.segment_key, s.revision, 1 FROM segments s
WHERE s.scope = %(scope)s AND s.segment_key = ANY(%(keys)s::bigint[])
ON CONFLICT (user_id, scope, segment_key) DO UPDATE SET
    attempts = CASE WHEN tried.revision = EXCLUDED.revision THEN tried.attempts + 1 ELSE 1 END,
    revision = EXCLUDED.revision, reason = NULL, at = now();

-- name: blame_reading
UPDATE tried SET reason = %(reason)s
WHERE user_id = %(user_id)s AND scope = %(scope)s AND segment_key = ANY(%(keys)s::bigint[]);

-- name: end_reading
DELETE FROM tried WHERE user_id = %(user_id)s AND scope = %(scope)s AND segment_key = ANY(%(keys)s::bigint[]);

-- name: to_embed
-- Source after source: those behind the last row are not even looked at.
SELECT e.* FROM (
    SELECT * FROM unnest(%(scopes)s::text[], %(ids)s::text[]) WITH ORDINALITY AS a (scope, source_id, n) ORDER BY n
) AS asked CROSS JOIN LATERAL (
    SELECT s.scope, s.source_id, s.segment_key, s.revision,
           spoken_by(s.scope, s.speaker) AS speaker, c.words AS text, src.started_at, src.offset_s
    FROM segments s
    JOIN sources src USING (scope, source_id)
    LEFT JOIN content c USING (scope, content_id)
    LEFT JOIN segment_vectors v ON v.scope = s.scope AND v.segment_key = s.segment_key AND v.encoder = %(encoder)s
    WHERE s.scope = asked.scope AND s.source_id = asked.source_id AND s.replaced_by IS NULL
      AND (v.revision IS DISTINCT FROM s.revision OR v.due)
    ORDER BY v.revision IS NOT DISTINCT FROM s.revision, s.start_s, s.ord  -- what has no vector at all comes first
    LIMIT %(limit)s
) AS e ORDER BY asked.n LIMIT %(limit)s;

-- name: parts
SELECT s.source_id, s.started_at,
       coalesce((SELECT max(s.started_at + make_interval(secs => g.end_s)) FROM segments g
                 WHERE g.scope = s.scope AND g.source_id = s.source_id), s.started_at) AS ended_at
FROM sources s WHERE s.scope = %(scope)s AND s.session_id = %(session_id)s ORDER BY s.started_at;

-- name: buried_parts
-- The parts of a session that were forgotten, up to the first number that was never given. `last` is the last one that
-- stands; a source of somebody else's naming that has the name of a part takes its number, too.
WITH RECURSIVE beyond (n) AS (
    SELECT %(last)s + 1
    UNION ALL
    SELECT n + 1 FROM beyond
    WHERE EXISTS (SELECT 1 FROM tombstones t
                  WHERE t.scope = %(scope)s AND t.hash = keyed('source:' || part_of(%(session_id)s, n)))
       OR EXISTS (SELECT 1 FROM sources s WHERE s.scope = %(scope)s AND s.source_id = part_of(%(session_id)s, n)))
SELECT p.source_id, ((t.began # tombstone_mask(p.source_id, 1)) / 1000.0)::float8 AS started_at,
       ((t.ended # tombstone_mask(p.source_id, 9)) / 1000.0)::float8 AS ended_at
FROM (SELECT n FROM generate_series(1, least(%(last)s, %(most)s)) AS n UNION ALL SELECT n FROM beyond) AS given
CROSS JOIN LATERAL (SELECT part_of(%(session_id)s, given.n) AS source_id) AS p
LEFT JOIN tombstones t ON t.scope = %(scope)s AND t.hash = keyed('source:' || p.source_id)
LEFT JOIN sources s ON s.scope = %(scope)s AND s.source_id = p.source_id
WHERE (t.hash IS NOT NULL AND s.source_id IS NULL) OR (given.n > %(last)s AND s.source_id IS NOT NULL);

-- name: next_vector_position
UPDATE scopes SET vector_position = vector_position + 1 WHERE scope = %(scope)s;

-- name: put_vectors
-- At the position just taken. A segment whose words changed meanwhile is left for the next round.
INSERT INTO segment_vectors (scope, segment_key, encoder, revision, position, vector, pieces)
SELECT s.scope, s.segment_key, %(encoder)s, v.revision, (SELECT vector_position FROM scopes WHERE scope = %(scope)s),
       (%(vectors)s::real[])[(v.n - 1) * %(dimensions)s + 1 : v.n * %(dimensions)s]::vector, v.pieces
FROM unnest(%(keys)s::bigint[], %(revisions)s::integer[], %(pieces)s::bytea[]) WITH ORDINALITY
     AS v (segment_key, revision, pieces, n)
JOIN segments s ON s.scope = %(scope)s AND s.segment_key = v.segment_key AND s.revision = v.revision
ON CONFLICT (scope, segment_key, encoder) DO UPDATE
SET revision = EXCLUDED.revision, position = EXCLUDED.position, vector = EXCLUDED.vector, pieces = EXCLUDED.pieces,
    due = false;

-- name: keys_of_source
SELECT segment_key FROM segments WHERE scope = %(scope)s AND source_id = %(source_id)s;

-- name: readers_of
SELECT user_id FROM readers WHERE scope = %(scope)s;

-- name: remove_keys
INSERT INTO removals (scope, segment_key, position, revision)
SELECT scope, segment_key, %(position)s, revision FROM segments WHERE scope = %(scope)s AND segment_key = ANY(%(keys)s)
ON CONFLICT (scope, segment_key) DO UPDATE SET position = EXCLUDED.position, revision = EXCLUDED.revision;

-- name: delete_source
DELETE FROM sources WHERE scope = %(scope)s AND source_id = %(source_id)s;

-- name: erase_words
DELETE FROM content WHERE scope = %(scope)s AND owner = ANY(%(owners)s);

-- name: profile
SELECT profile FROM users WHERE user_id = %(user_id)s;

-- name: get_offset
SELECT byte_offset FROM file_offsets WHERE path = %(path)s;

-- name: set_offset
INSERT INTO file_offsets (path, byte_offset) VALUES (%(path)s, %(byte_offset)s)
ON CONFLICT (path) DO UPDATE SET byte_offset = EXCLUDED.byte_offset, updated_at = now();

-- name: reject_line
INSERT INTO rejected_lines (path, byte_offset, reason) VALUES (%(path)s, %(byte_offset)s, %(reason)s)
ON CONFLICT (path, byte_offset) DO UPDATE SET reason = EXCLUDED.reason, at = now();

-- name: renew_vectors
-- The vectors of a scope are made anew, source by source; each serves until its successor is there.
WITH marked AS (UPDATE segment_vectors SET due = true WHERE scope = %(scope)s AND encoder = %(encoder)s)
INSERT INTO work (scope, source_id, task, user_id, position)
SELECT scope, source_id, 'embed', '', 0 FROM sources WHERE scope = %(scope)s
ON CONFLICT (scope, source_id, task, user_id)
DO UPDATE SET attempts = 0, next_attempt = now(), last_error = NULL, asked = EXCLUDED.asked;
