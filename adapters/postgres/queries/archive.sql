-- Archives: a whole memory out, a whole memory in. Rows travel as JSON, so that columns and archives grow together.

-- name: user
SELECT u.version, u.profile::text AS profile, u.created_at::text AS created_at,
       coalesce((SELECT position FROM scopes WHERE scope = %(scope)s), 0) AS position,
       (SELECT max(at)::text FROM journal j WHERE j.user_id = u.user_id) AS changed_at,
       (SELECT max(place) FROM voice_changes c WHERE c.scope = %(scope)s) AS voices
FROM users u WHERE u.user_id = %(user_id)s;

-- name: sources
-- A source of more words than a line takes goes on in further lines, each of which says what the source is and which
-- part it is. What was read of each segment is looked up by its whole key: joined, without statistics, by user and
-- scope alone.
SELECT (to_jsonb(s) - 'scope' || CASE WHEN p.part > 0 THEN jsonb_build_object('part', p.part) ELSE '{}' END
        || jsonb_build_object('segments', coalesce(p.segments, '[]')))::text AS line
FROM sources s
LEFT JOIN LATERAL (
    SELECT g.part, jsonb_agg(
        to_jsonb(g) - 'scope' - 'source_id' - 'content_id' - 'position' - 'part'
        || jsonb_build_object('read_revision', (
            SELECT e.revision FROM extracted e
            WHERE e.user_id = %(user_id)s AND e.scope = g.scope AND e.segment_key = g.segment_key)) ORDER BY g.ord) AS segments
    FROM (
        SELECT g.*, c.words AS text, r.words AS raw,
               sum(%(beside)s + coalesce(length(c.words), 0) + coalesce(length(r.words), 0))
                   OVER (ORDER BY g.ord, g.segment_key) / %(chars)s AS part
        FROM segments g
        LEFT JOIN content c ON c.scope = g.scope AND c.content_id = g.content_id
        LEFT JOIN raws r ON r.scope = g.scope AND r.segment_key = g.segment_key
        WHERE g.scope = s.scope AND g.source_id = s.source_id) g
    GROUP BY g.part) p ON true
WHERE s.scope = %(scope)s ORDER BY s.started_at, s.source_id, p.part;

-- name: entities
SELECT * FROM entities WHERE user_id = %(user_id)s ORDER BY entity_id;

-- name: mentions
SELECT * FROM mentions WHERE user_id = %(user_id)s ORDER BY entity_id, segment_key;

-- name: facts
SELECT * FROM fact_versions WHERE user_id = %(user_id)s ORDER BY fact_id, version;

-- name: evidence
SELECT * FROM evidence WHERE user_id = %(user_id)s ORDER BY fact_id, source_id, segment_key;

-- name: links
SELECT * FROM links WHERE user_id = %(user_id)s ORDER BY kind, from_id, to_id;

-- name: notes
SELECT * FROM notes WHERE user_id = %(user_id)s ORDER BY note_id;

-- name: groups
SELECT * FROM groups WHERE user_id = %(user_id)s ORDER BY kind DESC, group_id;

-- name: content
SELECT jsonb_build_object('content_id', content_id, 'owner', owner, 'words', words)::text AS line
FROM content WHERE scope = %(scope)s AND config IS NULL ORDER BY content_id;

-- name: journal
SELECT (to_jsonb(j) - 'user_id' || jsonb_build_object('touched', (
    SELECT coalesce(jsonb_agg(t.id ORDER BY t.id), '[]') FROM touched t
    WHERE t.user_id = j.user_id AND t.version = j.version)))::text AS line
FROM journal j WHERE j.user_id = %(user_id)s ORDER BY j.version;

-- name: nights
-- Without the commands of a night under way that hold words: its later steps are planned anew.
SELECT (to_jsonb(n) - 'user_id' - 'kept')::text AS line FROM nights n WHERE n.user_id = %(user_id)s ORDER BY n.night;

-- name: accesses
SELECT (to_jsonb(a) - 'user_id')::text AS line FROM accesses a WHERE a.user_id = %(user_id)s ORDER BY a.id;

-- name: voices
-- How the bank came to be what it is stays behind: it cannot be undone in another place.
SELECT (to_jsonb(v) - 'scope' - 'shown')::text AS line FROM voices v WHERE v.scope = %(scope)s
ORDER BY v.merged_into IS NOT NULL, v.created_at, v.voice_id;

-- name: voice_prints
SELECT (to_jsonb(p) - 'scope')::text AS line FROM voice_prints p WHERE p.scope = %(scope)s ORDER BY p.at, p.print_id;

-- name: standing
-- What is there already; locked until the restoration has been committed.
SELECT u.archive_id, u.version > 0 OR EXISTS (SELECT 1 FROM sources s WHERE s.scope = %(scope)s)
       OR EXISTS (SELECT 1 FROM voices v WHERE v.scope = %(scope)s) AS holds
FROM users u WHERE u.user_id = %(user_id)s FOR UPDATE;

-- name: put_user
UPDATE users SET version = %(version)s, profile = %(profile)s::jsonb, created_at = %(created_at)s::text::timestamptz,
                 archive_id = %(archive_id)s
WHERE user_id = %(user_id)s;

-- name: put_source
INSERT INTO sources SELECT * FROM jsonb_populate_record(NULL::sources, %(row)s);

-- name: put_words
INSERT INTO content (scope, content_id, owner, words, config)
SELECT %(scope)s, w.content_id, w.owner, w.words, w.config::regconfig
FROM jsonb_to_recordset(%(rows)s) AS w (content_id bigint, owner text, words text, config text)
ON CONFLICT DO NOTHING;

-- name: put_raws
INSERT INTO raws (scope, segment_key, words)
SELECT %(scope)s, r.segment_key, r.raw FROM jsonb_to_recordset(%(rows)s) AS r (segment_key bigint, raw text)
WHERE r.raw IS NOT NULL;

-- name: put_segments
INSERT INTO segments SELECT * FROM jsonb_populate_recordset(NULL::segments, %(rows)s);

-- name: put_read
INSERT INTO extracted (user_id, scope, segment_key, revision)
SELECT %(user_id)s, %(scope)s, r.segment_key, r.read_revision
FROM jsonb_to_recordset(%(rows)s) AS r (segment_key bigint, read_revision integer) WHERE r.read_revision IS NOT NULL;

-- name: put_journal
INSERT INTO journal SELECT * FROM jsonb_populate_recordset(NULL::journal, %(rows)s);

-- name: put_touched
INSERT INTO touched (user_id, id, version)
SELECT %(user_id)s, t.id, r.version
FROM jsonb_to_recordset(%(rows)s) AS r (version bigint, touched jsonb), jsonb_array_elements_text(r.touched) AS t (id);

-- name: put_nights
INSERT INTO nights SELECT * FROM jsonb_populate_recordset(NULL::nights, %(rows)s);

-- name: put_accesses
-- Archives from before there were decay laws lack what they need, and count single segments, which serves nothing.
INSERT INTO accesses (user_id, id, count, last_at, value, gradient, interval_days)
SELECT a.user_id, a.id, a.count, a.last_at, coalesce(a.value, 0.5), coalesce(a.gradient, 1), coalesce(a.interval_days, 0)
FROM jsonb_populate_recordset(NULL::accesses, %(rows)s) a WHERE a.id !~ '^-?[0-9]+$';

-- name: put_voices
INSERT INTO voices SELECT * FROM jsonb_populate_recordset(NULL::voices, %(rows)s);

-- name: put_voice_prints
INSERT INTO voice_prints SELECT * FROM jsonb_populate_recordset(NULL::voice_prints, %(rows)s);

-- name: shared
-- Which of these keys are of segments in these scopes.
SELECT segment_key FROM segments WHERE segment_key = ANY(%(keys)s::bigint[]) AND scope = ANY(%(scopes)s);
