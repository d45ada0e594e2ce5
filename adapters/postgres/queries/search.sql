-- The journal's own database as a projection: how far its search holds a scope, and what was dropped of it.

-- name: held
SELECT scope, position, vector_position, %(projection)s = ANY(dropped) AS dropped FROM scopes WHERE scope = ANY(%(scopes)s);

-- name: turns
SELECT version FROM users WHERE user_id = %(user_id)s;

-- name: dropped
SELECT scope FROM scopes WHERE scope = ANY(%(scopes)s) AND %(projection)s = ANY(dropped);

-- name: drop
UPDATE scopes SET dropped = array_append(dropped, %(projection)s)
WHERE scope = %(scope)s AND NOT %(projection)s = ANY(dropped);

-- name: take_up
UPDATE scopes SET dropped = array_remove(dropped, %(projection)s) WHERE scope = %(scope)s;
