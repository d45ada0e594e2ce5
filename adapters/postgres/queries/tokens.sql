-- Tokens: who may come in.

-- name: tokens
SELECT token_hash, name, user_id, teams, permission, clearance FROM tokens;

-- name: put
INSERT INTO tokens (token_hash, name, user_id, teams, permission, clearance)
VALUES (%(token_hash)s, %(name)s, %(user_id)s, %(teams)s, %(permission)s, %(clearance)s)
ON CONFLICT (name) DO UPDATE SET token_hash = EXCLUDED.token_hash, user_id = EXCLUDED.user_id, teams = EXCLUDED.teams,
    permission = EXCLUDED.permission, clearance = EXCLUDED.clearance;

-- name: drop
DELETE FROM tokens WHERE name = %(name)s RETURNING name;
