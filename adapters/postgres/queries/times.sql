-- The times of all facts of a user, in rows of fixed width, in the order of memory.rules.time_machine.ROW.

-- name: standing
-- How far a memory is, and which history it has: its first entry is written once, and anew only with the whole.
SELECT u.version, (SELECT j.xmin::text FROM journal j WHERE j.user_id = u.user_id ORDER BY j.version LIMIT 1) AS origin
FROM users u WHERE u.user_id = %(user_id)s;

-- name: predicate
SELECT hashtext(%(name)s::text) AS number;

-- name: changed
-- Every version of the facts of which one was opened or closed at or after a moment.
COPY (
    SELECT ('x' || substr(f.fact_id, 3))::bit(64)::bigint, ('x' || substr(f.subject_id, 3))::bit(64)::bigint,
           coalesce(('x' || substr(f.object_id, 3))::bit(64)::bigint, 0), f.version, coalesce(hashtext(f.predicate), 0),
           (array_position(%(statuses)s::text[], f.status) - 1)::smallint,
           extract(epoch FROM f.valid_from)::float8, coalesce(extract(epoch FROM f.valid_to)::float8, 'infinity'),
           extract(epoch FROM f.system_from)::float8, coalesce(extract(epoch FROM f.system_to)::float8, 'infinity')
    FROM fact_versions f
    WHERE f.user_id = %(user_id)s
      AND (%(since)s::float8 = '-infinity' OR f.fact_id IN (
          SELECT t.id FROM journal j JOIN touched t ON t.user_id = j.user_id AND t.version = j.version
          WHERE j.user_id = %(user_id)s AND j.at >= to_timestamp(%(since)s::float8)))
) TO STDOUT (FORMAT BINARY);
