-- Events: what the parts of the system are doing, for a week. Ids and figures; nobody's words.

CREATE TABLE events (
    user_id     text NOT NULL,                          -- in whose memory
    event_id    uuid NOT NULL,                          -- told twice, it is kept once
    position    bigint GENERATED ALWAYS AS IDENTITY,    -- the order they were written in, see below
    at          timestamptz NOT NULL,                   -- when it happened, as whoever tells it says
    process     text NOT NULL,                          -- service, zone and creature are told by the registry
    event_type  text NOT NULL CHECK (event_type IN ('start', 'complete', 'error', 'metric')),
    session_id  text,
    data        jsonb NOT NULL DEFAULT '{}',
    reasoning   text NOT NULL DEFAULT '',
    sensitivity smallint NOT NULL,                      -- the clearance it is shown to
    PRIMARY KEY (user_id, event_id)
);
CREATE UNIQUE INDEX events_position ON events (position);              -- what is new
CREATE INDEX events_of ON events (user_id, at DESC, event_id DESC);    -- the time machine
CREATE INDEX events_tail ON events (user_id, position DESC);           -- the latest of a user
CREATE INDEX events_of_session ON events (user_id, session_id) WHERE session_id IS NOT NULL;
CREATE INDEX events_at ON events USING brin (at);                      -- they come in by time, and leave by time
SELECT wall_by_user('events');

-- Whoever writes holds this lock until the commit: so positions appear in their order, and a reader that has come to one
-- has missed none before it. Whoever erases holds it, too: what began before is deleted, what comes after finds nothing.
CREATE FUNCTION lock_events() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock(1635083370) $$;

-- A source that is gone takes along what was told of it, whichever way it goes. What names its session alone may be about
-- another part of the session; it goes as well.
CREATE FUNCTION drop_events_of_sources() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_events();
    DELETE FROM events e USING gone g
    WHERE e.session_id IN (g.source_id, g.session_id) AND coalesce(e.data ->> 'source_id', g.source_id) = g.source_id
      AND (g.scope = 'user:' || e.user_id
           OR EXISTS (SELECT FROM readers r WHERE r.scope = g.scope AND r.user_id = e.user_id));
    RETURN NULL;
END $$;
CREATE TRIGGER events_of_sources AFTER DELETE ON sources REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION drop_events_of_sources();
