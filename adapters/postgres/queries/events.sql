-- Events: written in batches, read by who looks back and by the rings of who watches.

-- name: lock
SELECT lock_events();

-- name: write
-- Not what happened before its memory was forgotten, nor of a source that is forgotten: it was told before, and comes late.
INSERT INTO events (user_id, event_id, at, process, event_type, session_id, data, reasoning, sensitivity)
SELECT e.user_id, e.event_id, to_timestamp(e.at), e.process, e.event_type, e.session_id, e.data, e.reasoning, e.sensitivity
FROM jsonb_to_recordset(%(events)s) AS e (
    place integer, user_id text, event_id uuid, at float8, noted_at float8, process text, event_type text, session_id text, data jsonb,
    reasoning text, sensitivity smallint)
WHERE NOT EXISTS (SELECT FROM receipts r WHERE r.user_id = e.user_id AND r.what = 'memory'
                    AND r.at >= to_timestamp(e.noted_at))
  AND NOT EXISTS (SELECT FROM tombstones t WHERE t.scope = 'user:' || e.user_id
                    AND t.hash = keyed('source:' || coalesce(e.data ->> 'source_id', e.session_id)))
ORDER BY e.place
ON CONFLICT DO NOTHING;

-- name: count_drops
-- Not of a memory that was forgotten since.
INSERT INTO event_drops AS d (user_id, part, dropped)
SELECT e.user_id, %(part)s, e.dropped
FROM jsonb_to_recordset(%(drops)s) AS e (user_id text, dropped bigint, noted_at float8)
WHERE NOT EXISTS (SELECT FROM receipts r WHERE r.user_id = e.user_id AND r.what = 'memory'
                    AND r.at >= to_timestamp(e.noted_at))
ON CONFLICT (user_id, part) DO UPDATE SET dropped = d.dropped + EXCLUDED.dropped;

-- name: drops_of
SELECT coalesce(sum(dropped), 0)::bigint AS dropped FROM event_drops WHERE user_id = %(user_id)s;

-- name: page
-- The latest first.
SELECT e.event_id::text, e.at, e.process, e.event_type, e.session_id, e.data, e.reasoning, e.sensitivity,
       extract(epoch FROM e.at)::float8 AS mark, e.event_id::text AS key
FROM events e
WHERE e.user_id = %(user_id)s AND e.sensitivity <= %(clearance)s
  AND (%(process)s::text IS NULL OR e.process = %(process)s)
  AND (%(event_type)s::text IS NULL OR e.event_type = %(event_type)s)
  AND (%(session_id)s::text IS NULL OR e.session_id = %(session_id)s)
  AND (%(start)s::float8 IS NULL OR e.at >= to_timestamp(%(start)s::float8))
  AND (%(end)s::float8 IS NULL OR e.at <= to_timestamp(%(end)s::float8))
  AND (%(mark)s::float8 IS NULL OR (e.at, e.event_id) < (to_timestamp(%(mark)s::float8), %(key)s::uuid))
ORDER BY e.at DESC, e.event_id DESC LIMIT %(limit)s;

-- name: tail
-- The latest of a user, the latest first.
SELECT position, event_id::text, user_id, at, process, event_type, session_id, data, reasoning, sensitivity
FROM events WHERE user_id = %(user_id)s ORDER BY position DESC LIMIT %(limit)s;

-- name: after
-- What was written since, of those who are watched.
SELECT position, event_id::text, user_id, at, process, event_type, session_id, data, reasoning, sensitivity
FROM events WHERE position > %(position)s AND user_id = ANY(%(watched)s) ORDER BY position LIMIT %(limit)s;

-- name: latest
SELECT coalesce(max(position), 0) AS position FROM events;

-- name: trim_old
DELETE FROM events WHERE at < to_timestamp(%(before)s::float8);

-- name: trim_many
DELETE FROM events e USING (
    SELECT u.user_id, (SELECT t.position FROM events t WHERE t.user_id = u.user_id
                       ORDER BY t.position DESC OFFSET %(most)s::int LIMIT 1) AS last
    FROM (SELECT DISTINCT user_id FROM events) u) old
WHERE e.user_id = old.user_id AND e.position <= old.last;

-- name: waiting
-- How much work of each kind waits, how many turns all memories have been through, and what each part has dropped.
SELECT (SELECT count(*) FROM work WHERE task = 'read') AS reading,
       (SELECT count(*) FROM work WHERE task = 'embed') AS embedding,
       (SELECT count(*) FROM erasing WHERE done_at IS NULL) AS erasing,
       (SELECT coalesce(sum(version), 0) FROM users)::bigint AS turns,
       (SELECT coalesce(jsonb_object_agg(d.part, d.dropped), '{}')
        FROM (SELECT part, sum(dropped) AS dropped FROM event_drops GROUP BY part) d) AS dropped;
