-- Tokens: who may come in.

-- name: tokens
SELECT token_hash, name, user_id, teams, permission, clearance, expires_at, previous_hash, previous_until FROM tokens;

-- name: put
-- The token before a rotation lives on only beside the one that took its place.
INSERT INTO tokens (token_hash, name, user_id, teams, permission, clearance, expires_at)
VALUES (%(token_hash)s, %(name)s, %(user_id)s, %(teams)s, %(permission)s, %(clearance)s,
        to_timestamp(%(expires_at)s::float8))
ON CONFLICT (name) DO UPDATE SET token_hash = EXCLUDED.token_hash, user_id = EXCLUDED.user_id, teams = EXCLUDED.teams,
    permission = EXCLUDED.permission, clearance = EXCLUDED.clearance, expires_at = EXCLUDED.expires_at,
    previous_hash = CASE WHEN tokens.token_hash = EXCLUDED.token_hash THEN tokens.previous_hash END,
    previous_until = CASE WHEN tokens.token_hash = EXCLUDED.token_hash THEN tokens.previous_until END;

-- name: rotate
UPDATE tokens SET previous_hash = token_hash, previous_until = to_timestamp(%(until)s::float8),
    token_hash = %(token_hash)s, expires_at = to_timestamp(%(expires_at)s::float8)
WHERE name = %(name)s RETURNING name;

-- name: drop
DELETE FROM tokens WHERE name = %(name)s RETURNING name;

-- name: open_session
-- Sessions that are over go, and the oldest of a token that has more than `most`.
WITH gone AS (
    DELETE FROM page_sessions WHERE expires_at <= to_timestamp(%(now)s::float8) OR session_hash IN (
        SELECT s.session_hash FROM page_sessions s WHERE s.token_hash = %(token_hash)s
        ORDER BY s.expires_at DESC OFFSET %(most)s::int - 1))
INSERT INTO page_sessions (session_hash, token_hash, expires_at)
VALUES (%(session_hash)s, %(token_hash)s, to_timestamp(%(expires_at)s::float8));

-- name: session
SELECT token_hash FROM page_sessions
WHERE session_hash = %(session_hash)s AND expires_at > to_timestamp(%(now)s::float8);

-- name: end_session
DELETE FROM page_sessions WHERE session_hash = %(session_hash)s;
