-- The audit trail.

-- name: writing
-- Beside others who write, and never beside one who forgets.
SELECT pg_advisory_xact_lock_shared(1635083369);

-- name: forgetting
SELECT pg_advisory_xact_lock(1635083369);

-- name: write
INSERT INTO audit (user_id, at, token, route, status, sources, things, count)
SELECT e.user_id, to_timestamp(e.at), e.token, e.route, e.status,
       ARRAY(SELECT i.id FROM jsonb_array_elements_text(e.sources) AS i (id)
             WHERE EXISTS (SELECT FROM sources s WHERE s.source_id = i.id
                             AND s.scope IN (SELECT jsonb_array_elements_text(e.scopes)))),
       ARRAY(SELECT i.id FROM jsonb_array_elements_text(e.things) AS i (id)
             WHERE EXISTS (SELECT FROM fact_versions f WHERE f.user_id = e.user_id AND f.fact_id = i.id)
                OR EXISTS (SELECT FROM entities n WHERE n.user_id = e.user_id AND n.entity_id = i.id)),
       e.count
FROM jsonb_to_recordset(%(entries)s) AS e (user_id text, at float8, token text, route text, status smallint, scopes jsonb,
                                           sources jsonb, things jsonb, count integer);

-- name: page
SELECT a.at, a.token, a.route, a.status, a.sources, a.things, a.count, extract(epoch FROM a.at)::float8 AS mark,
       a.entry_id::text AS key, (SELECT count(*) FROM audit t WHERE t.user_id = %(user_id)s
                           AND (%(token)s::text IS NULL OR t.token = %(token)s)) AS total
FROM audit a
WHERE a.user_id = %(user_id)s AND (%(token)s::text IS NULL OR a.token = %(token)s)
  AND (%(key)s::text IS NULL OR a.entry_id < %(key)s::text::bigint)
ORDER BY a.entry_id DESC LIMIT %(limit)s;

-- name: trim_old
DELETE FROM audit WHERE at < to_timestamp(%(before)s::float8);

-- name: trim_many
DELETE FROM audit a USING (
    SELECT u.user_id, (SELECT t.entry_id FROM audit t WHERE t.user_id = u.user_id
                       ORDER BY t.entry_id DESC OFFSET %(entries)s::int LIMIT 1) AS last
    FROM (SELECT DISTINCT user_id FROM audit) u) old
WHERE a.user_id = old.user_id AND a.entry_id <= old.last;

-- name: forget_source
-- Out of every entry of somebody who has no source of that id any more.
UPDATE audit a SET sources = array_remove(a.sources, %(source_id)s)
WHERE %(source_id)s = ANY(a.sources)
  AND NOT EXISTS (SELECT FROM sources s WHERE s.source_id = %(source_id)s
                    AND (s.scope = 'user:' || a.user_id
                         OR s.scope IN (SELECT r.scope FROM readers r WHERE r.user_id = a.user_id)));

-- name: forget_ids
UPDATE audit SET things = ARRAY(SELECT t.id FROM unnest(things) AS t (id) WHERE t.id <> ALL(%(ids)s::text[]))
WHERE user_id = %(user_id)s AND things && %(ids)s::text[];
