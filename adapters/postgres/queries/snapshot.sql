-- Snapshots: all that is believed of one user, table by table, as it stands.

-- name: user
SELECT version, profile FROM users WHERE user_id = %(user_id)s;

-- name: columns
-- What a table is written with; a column that is computed is not.
SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position) AS names
FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = ANY(%(tables)s) AND is_generated = 'NEVER'
GROUP BY table_name;

-- name: put_user
UPDATE users SET version = %(version)s, profile = %(profile)s WHERE user_id = %(user_id)s;
