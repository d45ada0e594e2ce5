-- Voices: by which prints people are known, what they are called, and how that has changed (decision 0105). Prints are
-- as personal as words: they go with their source, their voice and their memory.

CREATE TABLE voices (
    scope       text NOT NULL,
    voice_id    text NOT NULL,
    label       text NOT NULL,                     -- what segments carry as their speaker, for good
    name        text NOT NULL DEFAULT '',          -- whose voice it is, once somebody has said so
    shown       text NOT NULL,                     -- what stands in the place of the label: follows merges and names
    exclusion   text NOT NULL DEFAULT '' CHECK (exclusion IN ('', 'without_name', 'drop')),
    merged_into text,
    forgotten   boolean NOT NULL DEFAULT false,    -- a number that no other voice of that day gets again
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (scope, voice_id),
    UNIQUE (scope, label)
);
CREATE TABLE voice_prints (
    scope       text NOT NULL,
    print_id    text NOT NULL,
    voice_id    text NOT NULL,
    origin      text NOT NULL CHECK (origin IN ('enrolled', 'heard', 'learnt')),
    model       text NOT NULL,
    style       text NOT NULL,
    seconds     double precision NOT NULL,
    embedding   real[] NOT NULL,
    source_id   text,                              -- where it was heard
    at          timestamptz NOT NULL,
    PRIMARY KEY (scope, print_id),
    FOREIGN KEY (scope, voice_id) REFERENCES voices (scope, voice_id) ON DELETE CASCADE
);
CREATE INDEX voice_prints_of_voice ON voice_prints (scope, voice_id);
CREATE INDEX voice_prints_of_source ON voice_prints (scope, source_id) WHERE source_id IS NOT NULL;
CREATE TABLE voice_changes (
    scope       text NOT NULL,
    change_id   text NOT NULL,
    place       bigint GENERATED ALWAYS AS IDENTITY,
    kind        text NOT NULL,
    actor       text NOT NULL,
    at          timestamptz NOT NULL,
    undoes      text,
    touched     text[] NOT NULL,                   -- the voices it concerns
    voices      jsonb NOT NULL DEFAULT '[]',       -- rows before and after
    prints      jsonb NOT NULL DEFAULT '[]',       -- ids, and whose they were before and after
    commands    text[] NOT NULL DEFAULT '{}',      -- the turns that went with it
    PRIMARY KEY (scope, change_id)
);
CREATE INDEX voice_changes_of ON voice_changes (scope, place DESC);
CREATE INDEX voice_changes_undone ON voice_changes (scope, undoes) WHERE undoes IS NOT NULL;
-- Segments of strangers are found by their label. A planner knows this index only under the same condition.
CREATE INDEX segments_of_strangers ON segments (scope, speaker) WHERE speaker ^@ 'Speaker ';
SELECT wall_by_scope('voices');
SELECT wall_by_scope('voice_prints');
SELECT wall_by_scope('voice_changes');

-- Who is told to have said what carries this label.
CREATE FUNCTION spoken_by(in_scope text, of_label text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT v.shown FROM voices v WHERE v.scope = in_scope AND v.label = of_label), of_label)
$$;

-- Voices that were forgotten leave nothing but the number that they had, if they had one: segments may carry it still.
-- How the bank came to them goes, too.
CREATE FUNCTION forget_voices(in_scope text, ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM voice_changes c WHERE c.scope = in_scope AND c.touched && ids;
    DELETE FROM voice_prints p WHERE p.scope = in_scope AND p.voice_id = ANY(ids);
    DELETE FROM voices v WHERE v.scope = in_scope AND v.voice_id = ANY(ids) AND v.label !~ '^Speaker [0-9]{1,6} of [0-9]{1,2} [A-Z][a-z]{2,8}$';
    UPDATE voices v SET name = '', shown = v.label, forgotten = true, merged_into = NULL
    WHERE v.scope = in_scope AND v.voice_id = ANY(ids);
END $$;

-- A source that is gone takes along what was learnt of its sound, whichever way it goes. A voice of which there is no
-- print left and that no segment carries is forgotten with it.
CREATE FUNCTION drop_prints_of_sources() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    bare record;
BEGIN
    FOR bare IN
        WITH lost AS (
            DELETE FROM voice_prints p USING gone g WHERE p.scope = g.scope AND p.source_id = g.source_id
            RETURNING p.scope, p.voice_id)
        SELECT DISTINCT scope, voice_id FROM lost
    LOOP
        IF NOT EXISTS (SELECT FROM voice_prints p WHERE p.scope = bare.scope AND p.voice_id = bare.voice_id)
           AND NOT EXISTS (
               SELECT FROM voices v JOIN segments s ON s.scope = v.scope AND s.speaker = v.label AND s.speaker ^@ 'Speaker '
               WHERE v.scope = bare.scope AND bare.voice_id IN (v.voice_id, v.merged_into))
        THEN
            PERFORM forget_voices(bare.scope, ARRAY(
                SELECT v.voice_id FROM voices v
                WHERE v.scope = bare.scope AND bare.voice_id IN (v.voice_id, v.merged_into)));
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER prints_of_sources AFTER DELETE ON sources REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION drop_prints_of_sources();
