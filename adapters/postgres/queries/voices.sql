-- Voices: the bank of a scope. See decision 0105.

-- name: lock
-- One change of a bank at a time; whoever reads is not held up.
SELECT pg_advisory_xact_lock(hashtextextended('voices:' || %(scope)s, 0));

-- name: voices
SELECT voice_id, label, name, exclusion, merged_into, forgotten, created_at
FROM voices WHERE scope = %(scope)s;

-- name: prints
SELECT print_id, voice_id, origin, model, style, seconds, embedding, source_id, at
FROM voice_prints WHERE scope = %(scope)s;

-- name: version
-- Another one whenever a bank is another: its voices, and whose its prints are. A print of an id never changes itself.
SELECT concat_ws(' ',
    (SELECT sum(hashtextextended(v::text, 0)) FROM voices v WHERE v.scope = %(scope)s),
    (SELECT sum(hashtextextended(p.print_id || ' ' || p.voice_id, 0)) FROM voice_prints p WHERE p.scope = %(scope)s)
) AS version;

-- name: changes
-- The latest first, each with whether it was undone; or the one that is named.
SELECT c.change_id, c.kind, c.actor, c.at, c.undoes, c.touched, c.voices, c.prints, c.commands,
       EXISTS (SELECT FROM voice_changes u WHERE u.scope = c.scope AND u.undoes = c.change_id) AS undone
FROM voice_changes c
WHERE c.scope = %(scope)s AND (%(change_id)s::text IS NULL OR c.change_id = %(change_id)s)
ORDER BY c.place DESC LIMIT %(limit)s;

-- name: standing
-- Changes that a person asked for, of these voices if any are named, as far as they stand; the latest first, so many.
SELECT c.change_id, c.kind, c.actor, c.at, c.undoes, c.touched, c.voices, c.prints, c.commands, false AS undone
FROM voice_changes c
WHERE c.scope = %(scope)s AND c.actor = 'user' AND c.undoes IS NULL
  AND (%(voices)s::text[] IS NULL OR c.touched && %(voices)s)
  AND NOT EXISTS (SELECT FROM voice_changes u WHERE u.scope = c.scope AND u.undoes = c.change_id)
ORDER BY c.place DESC LIMIT %(limit)s;

-- name: note
INSERT INTO voice_changes (scope, change_id, kind, actor, at, undoes, touched, voices, prints, commands)
VALUES (%(scope)s, %(change_id)s, %(kind)s, %(actor)s, to_timestamp(%(at)s), %(undoes)s, %(touched)s, %(voices)s,
        %(prints)s, %(commands)s)
ON CONFLICT DO NOTHING RETURNING 1;

-- name: put_voices
INSERT INTO voices (scope, voice_id, label, name, shown, exclusion, merged_into, forgotten, created_at)
SELECT %(scope)s, r.voice_id, r.label, r.name, r.label, r.exclusion, r.merged_into, r.forgotten,
       to_timestamp(r.created_at)
FROM jsonb_to_recordset(%(rows)s) AS r (voice_id text, label text, name text, exclusion text, merged_into text,
                                        forgotten boolean, created_at float8)
ON CONFLICT (scope, voice_id) DO UPDATE SET
    name = EXCLUDED.name, exclusion = EXCLUDED.exclusion, merged_into = EXCLUDED.merged_into,
    forgotten = EXCLUDED.forgotten;

-- name: put_prints
INSERT INTO voice_prints (scope, print_id, voice_id, origin, model, style, seconds, embedding, source_id, at)
SELECT %(scope)s, r.print_id, r.voice_id, r.origin, r.model, r.style, r.seconds, r.embedding, r.source_id,
       to_timestamp(r.at)
FROM jsonb_to_recordset(%(rows)s) AS r (print_id text, voice_id text, origin text, model text, style text,
                                        seconds float8, embedding real[], source_id text, at float8)
ON CONFLICT (scope, print_id) DO UPDATE SET voice_id = EXCLUDED.voice_id;

-- name: drop_prints
DELETE FROM voice_prints WHERE scope = %(scope)s AND print_id = ANY(%(ids)s) RETURNING 1;

-- name: drop_voices
DELETE FROM voices WHERE scope = %(scope)s AND voice_id = ANY(%(ids)s);

-- name: show
-- What each is shown as follows from its name and from what it was merged into.
UPDATE voices v SET shown = coalesce(nullif(r.name, ''), r.label)
FROM voices r
WHERE v.scope = %(scope)s AND r.scope = v.scope AND r.voice_id = coalesce(v.merged_into, v.voice_id)
  AND v.shown <> coalesce(nullif(r.name, ''), r.label)
RETURNING v.label;

-- name: touch
-- Readers who follow the scope take the segments of these speakers in anew.
UPDATE segments SET position = %(position)s
WHERE scope = %(scope)s AND speaker = ANY(%(labels)s) AND speaker ^@ 'Speaker ';

-- name: touch_named
-- The same of labels that are names, which are read through: it is seldom that one of these gets another name.
UPDATE segments SET position = %(position)s
WHERE scope = %(scope)s AND speaker = ANY(%(labels)s) AND NOT speaker ^@ 'Speaker ';

-- name: relabel
-- What a voice said in a source, or wherever it did, is another's from now on. What a person has pinned in a source stays.
UPDATE segments SET speaker = %(after)s
WHERE scope = %(scope)s AND speaker = %(before)s
  AND (%(source_id)s::text IS NULL OR (source_id = %(source_id)s AND NOT pinned));

-- name: forget
SELECT forget_voices(%(scope)s, %(ids)s);

-- name: prints_of
SELECT count(*) AS count FROM voice_prints WHERE scope = %(scope)s AND voice_id = ANY(%(ids)s);

-- name: unlearn
-- How these prints came into the bank goes with them, and can no longer be undone.
DELETE FROM voice_changes c
WHERE c.scope = %(scope)s AND EXISTS (
    SELECT FROM jsonb_array_elements(c.prints) p WHERE p ->> 'print_id' = ANY(%(ids)s) AND p ->> 'before' IS NULL);

-- name: sources_in_sight
SELECT source_id FROM sources
WHERE scope = %(scope)s AND source_id = ANY(%(ids)s) AND sensitivity <= %(clearance)s;

-- name: strangers_in_sight
-- Labels of numbered voices that a segment in sight carries.
SELECT l.label FROM unnest(%(labels)s::text[]) AS l (label)
WHERE EXISTS (
    SELECT FROM segments s JOIN sources src USING (scope, source_id)
    WHERE s.scope = %(scope)s AND s.speaker = l.label AND s.speaker ^@ 'Speaker ' AND src.sensitivity <= %(clearance)s);

-- name: said
-- Segments in sight that carry one of these labels, so many of them, the latest first; and how many there are.
SELECT s.source_id, s.segment_id, count(*) OVER () AS total FROM segments s JOIN sources src USING (scope, source_id)
WHERE s.scope = %(scope)s AND s.speaker = ANY(%(labels)s) AND s.replaced_by IS NULL
  AND src.sensitivity <= %(clearance)s
ORDER BY s.at DESC, s.segment_key LIMIT %(limit)s;

-- name: keys_said
-- Keys of what these labels said; in sources that are named only what no person has pinned.
SELECT coalesce(array_agg(segment_key), '{}') AS keys FROM segments
WHERE scope = %(scope)s AND speaker = ANY(%(labels)s) AND replaced_by IS NULL
  AND (%(sources)s::text[] IS NULL OR (source_id = ANY(%(sources)s) AND NOT pinned));

-- name: sources_said
-- Sources in which these labels said anything.
SELECT DISTINCT source_id FROM segments
WHERE scope = %(scope)s AND speaker = ANY(%(labels)s) AND replaced_by IS NULL;

-- name: heard_in
-- When sources began by their own clocks, as UTC epoch seconds.
SELECT source_id, extract(epoch FROM started_at)::float8 + offset_s AS day FROM sources
WHERE scope = %(scope)s AND source_id = ANY(%(ids)s);

-- name: told_apart
-- Pairs that are different people's, as somebody has said and not taken back: the first two of the voices touched.
SELECT c.touched FROM voice_changes c
WHERE c.scope = %(scope)s AND c.kind = ANY(%(kinds)s)
  AND NOT EXISTS (SELECT FROM voice_changes u WHERE u.scope = c.scope AND u.undoes = c.change_id);

-- name: clearest
-- Segments in sight of some seconds under each of these labels: beyond six they are clear enough, so later ones first.
SELECT f.speaker, f.source_id, f.segment_id, f.session_id, f.at, f.seconds FROM (
    SELECT s.speaker, s.source_id, s.segment_id, src.session_id, extract(epoch FROM s.at)::float8 AS at,
           s.end_s - s.start_s AS seconds,
           row_number() OVER (PARTITION BY s.speaker
                              ORDER BY least(s.end_s - s.start_s, 6) DESC, s.at DESC, s.segment_key) AS place
    FROM segments s JOIN sources src USING (scope, source_id)
    WHERE s.scope = %(scope)s AND s.speaker = ANY(%(labels)s) AND s.replaced_by IS NULL
      AND src.sensitivity <= %(clearance)s AND s.end_s - s.start_s BETWEEN 1 AND 15) f
WHERE f.place <= %(most)s ORDER BY f.speaker, f.place;
