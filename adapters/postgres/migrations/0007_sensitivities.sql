-- Sensitivities: what is seen at one of them follows from words of that and lesser ones alone (decision 0025).

ALTER TABLE mentions ADD COLUMN sensitivity smallint NOT NULL DEFAULT 0;  -- of the source, when it was read
UPDATE mentions m SET sensitivity = src.sensitivity
FROM segments s JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
WHERE s.segment_key = m.segment_key AND src.sensitivity > 0;

ALTER TABLE notes ADD COLUMN sensitivity smallint NOT NULL DEFAULT 0;     -- of what it is about, when it was written
UPDATE notes n SET sensitivity = e.sensitivity FROM entities e WHERE e.user_id = n.user_id AND e.entity_id = n.about_id;
UPDATE notes n SET sensitivity = f.sensitivity FROM fact_versions f
WHERE f.user_id = n.user_id AND f.fact_id = n.about_id AND f.system_to IS NULL;

DROP FUNCTION notes_known(text, timestamptz);
CREATE FUNCTION notes_known(whose text, known timestamptz)
RETURNS TABLE (user_id text, note_id text, about_id text, text bigint, author text, created_at timestamptz,
               lifetime text, source_id text, sensitivity smallint)
LANGUAGE sql STABLE AS $$
    SELECT n.user_id, n.note_id, n.about_id, n.text, n.author, n.created_at, n.lifetime, n.source_id, n.sensitivity
    FROM notes n WHERE n.user_id = whose AND known IS NULL
    UNION ALL
    -- what was written before notes had a sensitivity has that of the note as it stands
    SELECT v.user_id, v.id, v.row ->> 'about_id', (v.row ->> 'text')::bigint, v.row ->> 'author',
           to_timestamp((v.row ->> 'created_at')::double precision), v.row ->> 'lifetime', v.row ->> 'source_id',
           coalesce((v.row ->> 'sensitivity')::smallint, n.sensitivity, 0::smallint)
    FROM rows_known(whose, 'note', known) v LEFT JOIN notes n ON n.user_id = v.user_id AND n.note_id = v.id
$$;

DROP FUNCTION mentions_known(text, timestamptz);
CREATE FUNCTION mentions_known(whose text, known timestamptz)
RETURNS TABLE (user_id text, entity_id text, segment_key bigint, at timestamptz, confidence double precision,
               sensitivity smallint)
LANGUAGE sql STABLE AS $$
    SELECT m.user_id, m.entity_id, m.segment_key, m.at, m.confidence, m.sensitivity
    FROM mentions m WHERE m.user_id = whose AND known IS NULL
    UNION ALL
    SELECT v.user_id, v.id, (v.row ->> 'segment_key')::bigint, to_timestamp((v.row ->> 'at')::double precision),
           (v.row ->> 'confidence')::double precision, coalesce((v.row ->> 'sensitivity')::smallint, 0::smallint)
    FROM rows_known(whose, 'mention', known) v
$$;

-- Whether the row of an entity was made by a command, whatever more sensitive words had said of it before.
CREATE FUNCTION born_of_command(whose text, born timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM journal j WHERE j.user_id = whose AND j.at = born AND j.kind <> 'AcceptReading')
$$;

CREATE OR REPLACE FUNCTION seen_entities(whose text, in_scopes text[], up_to integer)
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
      AND born_of_command(whose, e.created_at)
$$;

CREATE OR REPLACE FUNCTION seen_entities_known(whose text, in_scopes text[], up_to integer, known timestamptz,
                                               as_of timestamptz)
RETURNS TABLE (entity_id text, first_seen timestamptz, last_seen timestamptz, mention_count bigint,
               session_count bigint, source_count bigint)
LANGUAGE sql STABLE AS $$
    SELECT a.entity_id, min(a.first_seen), max(a.last_seen), sum(a.mentions)::bigint, count(*), sum(a.sources)::bigint
    FROM (SELECT b.entity_id, b.scope, b.session_id, min(b.first_seen) AS first_seen, max(b.last_seen) AS last_seen,
                 sum(b.mentions) AS mentions, count(*) AS sources
          FROM (SELECT m.entity_id, s.scope, src.session_id, s.source_id, min(m.at) AS first_seen,
                       max(m.at) AS last_seen, count(*) AS mentions
                FROM mentions_known(whose, known) m
                JOIN segments s ON s.segment_key = m.segment_key
                JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
                WHERE s.scope = ANY (in_scopes) AND src.sensitivity <= up_to AND s.replaced_by IS NULL
                  AND (as_of IS NULL OR m.at <= as_of)
                GROUP BY m.entity_id, s.scope, src.session_id, s.source_id) b
          GROUP BY b.entity_id, b.scope, b.session_id) a
    GROUP BY a.entity_id
    UNION ALL
    SELECT e.entity_id, e.created_at, e.created_at, 0, 0, 0
    FROM entities_known(whose, known) e
    WHERE e.merged_into IS NULL AND e.sensitivity <= up_to AND (as_of IS NULL OR e.created_at <= as_of)
      AND NOT EXISTS (SELECT 1 FROM seen_mentions_known(whose, in_scopes, up_to, known) m
                      WHERE m.entity_id = e.entity_id AND (as_of IS NULL OR m.at <= as_of))
      AND born_of_command(whose, e.created_at)
$$;

-- Facts that the rules have decided in place of a judge that failed, which is asked again.
CREATE INDEX fact_versions_unjudged ON fact_versions (user_id, fact_id)
    WHERE system_to IS NULL AND status = 'active' AND judged_by LIKE 'rules for %';
