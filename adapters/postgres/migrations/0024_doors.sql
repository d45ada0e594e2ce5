-- Who comes in: tokens that end and are renewed, sessions of the page, and what was read and changed by whom.

ALTER TABLE tokens
    ADD COLUMN expires_at timestamptz,                    -- null = until it is taken back
    ADD COLUMN previous_hash bytea,                       -- the one before a rotation
    ADD COLUMN previous_until timestamptz;                -- how long it still lets in

-- A browser that showed a token on the page. It ends with its token: sessions of a hash that no token has are nobody's.
CREATE TABLE page_sessions (
    session_hash bytea PRIMARY KEY,                       -- SHA-256 of 256 random bits, which the cookie holds
    token_hash   bytea NOT NULL,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX page_sessions_token ON page_sessions (token_hash);

-- One row a request. Ids only: no word of anybody, no question, and nothing that was erased.
CREATE TABLE audit (
    user_id  text NOT NULL,                               -- whose memory it was
    entry_id bigint GENERATED ALWAYS AS IDENTITY,
    at       timestamptz NOT NULL,
    token    text NOT NULL,                               -- the name of the token
    route    text NOT NULL,                               -- method and path, with the names of what stands in it
    status   smallint NOT NULL,
    sources  text[] NOT NULL,                             -- ids of sources that were told of, each once
    things   text[] NOT NULL,                             -- of facts and entities
    count    integer NOT NULL,                            -- how many ids there were, kept or not
    PRIMARY KEY (user_id, entry_id)
);
CREATE INDEX audit_at ON audit (at);
