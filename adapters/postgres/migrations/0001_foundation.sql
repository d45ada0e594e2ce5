-- The whole schema of a memory. Later files only add to it.
--
-- Four layers: who may read what (users, tokens), what was heard (scopes, sources, segments, vectors), what is believed
-- (entities, mentions, fact versions, evidence, links, notes, groups) and how it came to be (journal, touched).
-- Words live in `content` alone; every other table holds ids and numbers, so that forgetting can erase words for good.

CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- ---------------------------------------------------------------------------------------------------- who

CREATE TABLE users (
    user_id    text PRIMARY KEY,
    version    bigint NOT NULL DEFAULT 0,          -- of what is believed: one more with every turn
    profile    jsonb NOT NULL DEFAULT '{}',
    archive_id text,                               -- of the archive this memory was restored from
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tokens (
    token_hash bytea PRIMARY KEY,                  -- SHA-256 of 256 random bits
    name       text NOT NULL UNIQUE,
    user_id    text NOT NULL,
    teams      text[] NOT NULL DEFAULT '{}',
    permission text NOT NULL CHECK (permission IN ('read', 'write', 'admin')),
    clearance  smallint NOT NULL DEFAULT 1 CHECK (clearance BETWEEN 0 AND 2),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE readers (                             -- which users read a scope; a team source is extracted for each
    scope   text NOT NULL,
    user_id text NOT NULL,
    PRIMARY KEY (scope, user_id)
);

CREATE TABLE shards (                              -- the fence: only the highest epoch may commit
    shard text PRIMARY KEY,
    epoch bigint NOT NULL
);

-- ---------------------------------------------------------------------------------------------------- words

CREATE TABLE content (
    scope      text NOT NULL,
    content_id bigint NOT NULL,                    -- 64-bit hash of (owner, part, words)
    owner      text NOT NULL,                      -- what it belongs to; forgetting erases by owner
    words      text NOT NULL,
    config     regconfig,                          -- its language's stemmer, NULL where the words are not searched
    -- the first 100,000 characters: a tsvector holds a megabyte, and words need up to four bytes a character
    search     tsvector GENERATED ALWAYS AS (to_tsvector(config, left(words, 100000))) STORED,
    PRIMARY KEY (scope, content_id)
);
CREATE INDEX content_owner ON content (scope, owner);
CREATE INDEX content_search ON content USING gin (search);

CREATE TABLE tombstones (                          -- keyed hashes of what was forgotten; every reader checks them
    scope text NOT NULL,
    hash  bytea NOT NULL,
    at    timestamptz NOT NULL,
    PRIMARY KEY (scope, hash)
);

CREATE TABLE secrets (                             -- the key of those hashes
    name  text PRIMARY KEY,
    value bytea NOT NULL
);
INSERT INTO secrets VALUES ('tombstone', sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- ---------------------------------------------------------------------------------------------------- heard

CREATE TABLE scopes (
    scope           text PRIMARY KEY,              -- user:X or team:Y
    position        bigint NOT NULL DEFAULT 0,     -- of the last capture; commits of one scope are ordered by its row lock
    vector_position bigint NOT NULL DEFAULT 0
);

CREATE TABLE sources (
    scope        text NOT NULL,
    source_id    text NOT NULL,
    session_id   text NOT NULL,                    -- as the device called it; a long silence splits one session
    kind         text NOT NULL,
    started_at   timestamptz NOT NULL,
    ended_at     timestamptz,
    offset_s     integer NOT NULL DEFAULT 0,       -- local time = UTC + offset
    participants text[] NOT NULL DEFAULT '{}',
    provenance   jsonb NOT NULL DEFAULT '{}',
    context_type text,
    device_id    text,
    sensitivity  smallint NOT NULL DEFAULT 0 CHECK (sensitivity BETWEEN 0 AND 2),
    ttl_policy   text NOT NULL DEFAULT 'decay',
    state        text NOT NULL DEFAULT 'candidate',
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, source_id)
);
CREATE INDEX sources_started ON sources (scope, started_at DESC);
CREATE INDEX sources_session ON sources (scope, session_id);

CREATE TABLE segments (
    scope       text NOT NULL,
    segment_key bigint NOT NULL,                   -- 64-bit hash of (scope, source_id, segment_id)
    source_id   text NOT NULL,
    segment_id  text NOT NULL,
    speaker     text NOT NULL,
    role        text NOT NULL,
    content_id  bigint NOT NULL,
    at          timestamptz NOT NULL,              -- source start + own start
    ord         integer NOT NULL,                  -- arrival within the source; breaks ties of start_s
    start_s     double precision NOT NULL,
    end_s       double precision NOT NULL,
    language    text,
    stt_engine  text,
    emotion     jsonb,
    is_sweep    boolean NOT NULL DEFAULT false,
    pinned      boolean NOT NULL DEFAULT false,
    revision    integer NOT NULL DEFAULT 1,        -- one more whenever the words change
    replaced_by text,                              -- the sweep segment that replaced it: hidden, never deleted
    position    bigint NOT NULL,
    committed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, segment_key),
    UNIQUE (scope, source_id, segment_id),
    FOREIGN KEY (scope, source_id) REFERENCES sources (scope, source_id) ON DELETE CASCADE,
    FOREIGN KEY (scope, content_id) REFERENCES content (scope, content_id)
);
CREATE UNIQUE INDEX segments_key ON segments (segment_key);
CREATE INDEX segments_position ON segments (scope, position);
CREATE INDEX segments_at ON segments (scope, at);
CREATE INDEX segments_content ON segments (scope, content_id);

CREATE TABLE removals (                            -- keys that left a scope, so that caught-up readers drop them too
    scope       text NOT NULL,
    segment_key bigint NOT NULL,
    position    bigint NOT NULL,
    PRIMARY KEY (scope, segment_key)
);
CREATE INDEX removals_position ON removals (scope, position);

CREATE TABLE segment_vectors (
    scope       text NOT NULL,
    segment_key bigint NOT NULL,
    encoder     text NOT NULL,
    revision    integer NOT NULL,
    position    bigint NOT NULL,
    vector      vector NOT NULL,
    PRIMARY KEY (scope, segment_key, encoder),
    FOREIGN KEY (scope, segment_key) REFERENCES segments (scope, segment_key) ON DELETE CASCADE
);
CREATE INDEX segment_vectors_position ON segment_vectors (scope, encoder, position);

CREATE TABLE work (                                -- what is still to be done with a source, and how often it was tried
    scope        text NOT NULL,
    source_id    text NOT NULL,
    task         text NOT NULL CHECK (task IN ('embed', 'read')),
    user_id      text NOT NULL,                    -- for whom it is read; '' for embedding, which serves all
    attempts     integer NOT NULL DEFAULT 0,
    next_attempt timestamptz NOT NULL DEFAULT now(),
    last_error   text,
    position     bigint NOT NULL,                  -- of the capture that asked for it
    queued_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, source_id, task, user_id),
    FOREIGN KEY (scope, source_id) REFERENCES sources (scope, source_id) ON DELETE CASCADE
);
CREATE INDEX work_due ON work (task, next_attempt);

CREATE TABLE extracted (                           -- progress is kept per segment revision, never per session
    user_id     text NOT NULL,
    scope       text NOT NULL,
    segment_key bigint NOT NULL,
    revision    integer NOT NULL,
    PRIMARY KEY (user_id, scope, segment_key),
    FOREIGN KEY (scope, segment_key) REFERENCES segments (scope, segment_key) ON DELETE CASCADE
);

CREATE TABLE file_offsets (
    path        text PRIMARY KEY,
    byte_offset bigint NOT NULL,
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE rejected_lines (
    path        text NOT NULL,
    byte_offset bigint NOT NULL,
    reason      text NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (path, byte_offset)
);

-- ---------------------------------------------------------------------------------------------------- believed

CREATE TABLE entities (
    user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
    entity_id   text NOT NULL,
    type        text NOT NULL,
    name        bigint NOT NULL,                   -- bigint columns named after words are content ids
    name_key    bytea NOT NULL,                    -- hash of (type, folded name, qualifier): what makes it unique
    qualifier   bigint,
    aliases     bigint,
    properties  bigint,
    description bigint,
    confidence  double precision NOT NULL,
    tier        text NOT NULL CHECK (tier IN ('L0', 'L1', 'L2')),
    state       text NOT NULL CHECK (state IN ('candidate', 'active', 'core', 'archived')),
    ttl_policy  text NOT NULL,
    sensitivity smallint NOT NULL,
    is_owner    boolean NOT NULL,
    merged_into text,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (user_id, entity_id)
);
CREATE UNIQUE INDEX entities_name ON entities (user_id, name_key) WHERE merged_into IS NULL;
CREATE UNIQUE INDEX entities_owner ON entities (user_id) WHERE is_owner;

CREATE TABLE mentions (
    user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
    entity_id   text NOT NULL,
    segment_key bigint NOT NULL,
    source_id   text NOT NULL,
    at          timestamptz NOT NULL,
    quote       bigint NOT NULL,
    confidence  double precision NOT NULL,
    PRIMARY KEY (user_id, entity_id, segment_key)
);
CREATE INDEX mentions_segment ON mentions (user_id, segment_key);
CREATE INDEX mentions_at ON mentions (user_id, at);

CREATE TABLE fact_versions (
    user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
    fact_id     text NOT NULL,
    version     integer NOT NULL,
    subject_id  text NOT NULL,
    statement   bigint NOT NULL,
    predicate   text,
    object      bigint,
    object_id   text,
    slot        bigint,
    polarity    boolean NOT NULL,
    kind        text NOT NULL,
    importance  smallint NOT NULL CHECK (importance BETWEEN 1 AND 10),
    confidence  double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    stability   double precision NOT NULL,
    status      text NOT NULL CHECK (status IN ('active', 'superseded', 'invalidated', 'forgotten', 'pruned')),
    state       text NOT NULL CHECK (state IN ('candidate', 'active', 'core', 'archived')),
    protected   boolean NOT NULL,
    judged_by   text NOT NULL,
    sensitivity smallint NOT NULL,
    valid_from  timestamptz NOT NULL,
    valid_to    timestamptz CHECK (valid_to IS NULL OR valid_to >= valid_from),
    system_from timestamptz NOT NULL,
    system_to   timestamptz CHECK (system_to IS NULL OR system_to >= system_from),
    PRIMARY KEY (user_id, fact_id, version),
    CONSTRAINT one_belief_at_a_time EXCLUDE USING gist (
        user_id WITH =, fact_id WITH =, tstzrange(system_from, system_to) WITH &&)
);
CREATE UNIQUE INDEX fact_versions_open ON fact_versions (user_id, fact_id) WHERE system_to IS NULL;
CREATE INDEX fact_versions_subject ON fact_versions (user_id, subject_id) WHERE system_to IS NULL;

CREATE FUNCTION keep_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A version may only be closed, once. Everything else is a new version, or known_as_of would lie.
    IF OLD.system_to IS NOT NULL OR NEW.system_to IS NULL
       OR to_jsonb(NEW) - 'system_to' IS DISTINCT FROM to_jsonb(OLD) - 'system_to' THEN
        RAISE EXCEPTION 'fact versions are never edited, only closed' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fact_versions_kept BEFORE UPDATE ON fact_versions FOR EACH ROW EXECUTE FUNCTION keep_versions();

CREATE FUNCTION keep_one_open() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM fact_versions WHERE user_id = NEW.user_id AND fact_id = NEW.fact_id AND system_to IS NULL)
       AND EXISTS (SELECT 1 FROM fact_versions WHERE user_id = NEW.user_id AND fact_id = NEW.fact_id) THEN
        RAISE EXCEPTION 'a fact must keep one open version' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER fact_versions_one_open AFTER UPDATE ON fact_versions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keep_one_open();

CREATE TABLE evidence (
    user_id     text NOT NULL REFERENCES users ON DELETE CASCADE,
    fact_id     text NOT NULL,
    source_id   text NOT NULL,
    segment_key bigint NOT NULL,                   -- 0 where a command is the evidence
    quote       bigint NOT NULL,
    at          timestamptz NOT NULL,
    revision    integer NOT NULL,
    PRIMARY KEY (user_id, fact_id, source_id, segment_key)
);
CREATE INDEX evidence_segment ON evidence (user_id, segment_key);

CREATE TABLE links (
    user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
    kind    text NOT NULL,
    from_id text NOT NULL,
    to_id   text NOT NULL,
    weight  double precision NOT NULL,
    PRIMARY KEY (user_id, kind, from_id, to_id)
);
CREATE INDEX links_to ON links (user_id, to_id);

CREATE TABLE notes (
    user_id    text NOT NULL REFERENCES users ON DELETE CASCADE,
    note_id    text NOT NULL,
    about_id   text NOT NULL,
    text       bigint NOT NULL,
    author     text NOT NULL,
    created_at timestamptz NOT NULL,
    lifetime   text NOT NULL,
    source_id  text,
    PRIMARY KEY (user_id, note_id)
);
CREATE INDEX notes_about ON notes (user_id, about_id);

CREATE TABLE groups (                              -- storylines, macros, communities, patterns
    user_id   text NOT NULL REFERENCES users ON DELETE CASCADE,
    group_id  text NOT NULL,
    kind      text NOT NULL CHECK (kind IN ('storyline', 'macro', 'community', 'pattern')),
    anchor_id text,
    statement bigint,
    state     text NOT NULL,
    opened_at timestamptz NOT NULL,
    closed_at timestamptz,
    members   text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (user_id, group_id)
);

CREATE TABLE fact_vectors (
    user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
    fact_id text NOT NULL,
    encoder text NOT NULL,
    vector  vector NOT NULL,
    PRIMARY KEY (user_id, fact_id, encoder)
);

CREATE TABLE accesses (                            -- what was recalled; counted in batches, off the request's path
    user_id  text NOT NULL REFERENCES users ON DELETE CASCADE,
    id       text NOT NULL,                        -- a fact or entity id, or a segment key in decimal
    count    bigint NOT NULL,
    last_at  timestamptz NOT NULL,
    PRIMARY KEY (user_id, id)
);

-- ---------------------------------------------------------------------------------------------------- how

CREATE TABLE journal (                             -- every turn, immutable; ids and numbers only
    user_id    text NOT NULL REFERENCES users ON DELETE CASCADE,
    version    bigint NOT NULL,
    command_id text NOT NULL,
    kind       text NOT NULL,
    actor      text NOT NULL,
    at         timestamptz NOT NULL,
    changes    jsonb NOT NULL,
    outcomes   jsonb NOT NULL DEFAULT '[]',
    undoes     text,
    PRIMARY KEY (user_id, version),
    UNIQUE (user_id, command_id)
);
CREATE INDEX journal_undoes ON journal (user_id, undoes) WHERE undoes IS NOT NULL;

CREATE TABLE touched (                             -- which turns touched which entity or fact
    user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
    id      text NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (user_id, id, version)
);

CREATE TABLE nights (
    user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
    night   date NOT NULL,
    at      timestamptz NOT NULL,                  -- the scheduled instant, which is the night's `now`
    report  jsonb NOT NULL,
    PRIMARY KEY (user_id, night)
);

-- ---------------------------------------------------------------------------------------------------- seen

-- What a caller's view leaves of all this: the scopes of a token, and its clearance as `up_to`. Whoever shows something
-- reads it through these, so that the rule is written once; the planner inlines them like views.

CREATE FUNCTION seen_segments(in_scopes text[], up_to integer) RETURNS SETOF segments LANGUAGE sql STABLE AS $$
    SELECT s.* FROM segments s JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
    WHERE s.scope = ANY (in_scopes) AND src.sensitivity <= up_to AND s.replaced_by IS NULL
$$;

CREATE FUNCTION seen_mentions(whose text, in_scopes text[], up_to integer) RETURNS SETOF mentions
LANGUAGE sql STABLE AS $$
    SELECT m.* FROM mentions m JOIN seen_segments(in_scopes, up_to) s ON s.segment_key = m.segment_key
    WHERE m.user_id = whose
$$;

CREATE FUNCTION seen_evidence(whose text, in_scopes text[], up_to integer) RETURNS SETOF evidence
LANGUAGE sql STABLE AS $$
    SELECT v.* FROM evidence v
    WHERE v.user_id = whose
      AND (v.segment_key = 0
           OR EXISTS (SELECT 1 FROM seen_segments(in_scopes, up_to) s WHERE s.segment_key = v.segment_key))
$$;

-- A fact is seen by its own sensitivity, unless all the words it rests on are out of sight.
CREATE FUNCTION seen_facts(whose text, in_scopes text[], up_to integer) RETURNS SETOF fact_versions
LANGUAGE sql STABLE AS $$
    SELECT f.* FROM fact_versions f
    WHERE f.user_id = whose AND f.sensitivity <= up_to
      AND (EXISTS (SELECT 1 FROM seen_evidence(whose, in_scopes, up_to) v WHERE v.fact_id = f.fact_id)
           OR NOT EXISTS (SELECT 1 FROM evidence v WHERE v.user_id = whose AND v.fact_id = f.fact_id))
$$;

-- An entity is seen if it is mentioned in sight, and then only that counts; one born of a command by its own sensitivity.
CREATE FUNCTION seen_entities(whose text, in_scopes text[], up_to integer)
RETURNS TABLE (entity_id text, first_seen timestamptz, last_seen timestamptz, mention_count bigint,
               session_count bigint, source_count bigint)
LANGUAGE sql STABLE AS $$
    -- by source, then by session, then in all: counted by hashing, where count(DISTINCT) would sort
    SELECT a.entity_id, min(a.first_seen), max(a.last_seen), sum(a.mentions)::bigint, count(*), sum(a.sources)::bigint
    FROM (SELECT b.entity_id, b.scope, b.session_id, min(b.first_seen) AS first_seen, max(b.last_seen) AS last_seen,
                 sum(b.mentions) AS mentions, count(*) AS sources
          FROM (SELECT m.entity_id, s.scope, src.session_id, s.source_id, min(m.at) AS first_seen,
                       max(m.at) AS last_seen, count(*) AS mentions
                FROM mentions m
                JOIN segments s ON s.segment_key = m.segment_key
                JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
                WHERE m.user_id = whose AND s.scope = ANY (in_scopes) AND src.sensitivity <= up_to
                  AND s.replaced_by IS NULL
                GROUP BY m.entity_id, s.scope, src.session_id, s.source_id) b
          GROUP BY b.entity_id, b.scope, b.session_id) a
    GROUP BY a.entity_id
    UNION ALL
    SELECT e.entity_id, e.created_at, e.created_at, 0, 0, 0
    FROM entities e
    WHERE e.user_id = whose AND e.merged_into IS NULL AND e.sensitivity <= up_to
      AND NOT EXISTS (SELECT 1 FROM seen_mentions(whose, in_scopes, up_to) m WHERE m.entity_id = e.entity_id)
      AND EXISTS (
          SELECT 1 FROM journal j
          WHERE j.user_id = whose AND j.kind <> 'AcceptReading'
            AND j.version = (SELECT min(t.version) FROM touched t WHERE t.user_id = whose AND t.id = e.entity_id))
$$;
