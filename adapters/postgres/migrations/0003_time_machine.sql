-- The time machine: every row of belief with the time it was believed, so that any past state can be read like today's.
--
-- Facts carry their system interval themselves. The other rows - entities, mentions, evidence, links, notes - are kept
-- here as versions, projected from the journal by a trigger: whatever writes the journal (a turn, a restored archive, a
-- rebuild) writes this too, and what leaves the journal leaves this. Ids and numbers only; words stay in `content`.

CREATE TABLE row_versions (
    user_id     text NOT NULL,
    noun        text NOT NULL,                     -- entity, mention, evidence, link or note
    id          text NOT NULL,                     -- the entity, fact or note it belongs to
    key         text NOT NULL,                     -- what tells the rows of one id apart
    turn        bigint NOT NULL,                   -- the version of the memory that brought it
    row         jsonb NOT NULL,
    system_from timestamptz NOT NULL,
    system_to   timestamptz,
    PRIMARY KEY (user_id, noun, id, key, turn),
    FOREIGN KEY (user_id, turn) REFERENCES journal (user_id, version) ON DELETE CASCADE
);
CREATE INDEX row_versions_turn ON row_versions (user_id, turn);
CREATE INDEX row_versions_to ON row_versions (user_id, (row ->> 'to_id')) WHERE noun = 'link';
CREATE INDEX row_versions_segment ON row_versions (user_id, ((row ->> 'segment_key')::bigint))
    WHERE noun IN ('mention', 'evidence');

-- The rows a change set leaves behind, once each as the last change of the turn left them; `row` is null where it went.
CREATE FUNCTION rows_left(changes jsonb) RETURNS TABLE (noun text, id text, key text, "row" jsonb)
LANGUAGE sql IMMUTABLE AS $$
    SELECT DISTINCT ON (s.noun, s.id, s.key) s.noun, s.id, s.key, s.after
    FROM (SELECT c.change ->> 'noun' AS noun, c.place, nullif(c.change -> 'after', 'null') AS after,
                 coalesce(side ->> 'entity_id', side ->> 'fact_id', side ->> 'from_id', side ->> 'note_id') AS id,
                 CASE c.change ->> 'noun' WHEN 'mention' THEN side ->> 'segment_key'
                      WHEN 'evidence' THEN (side ->> 'segment_key') || ' ' || (side ->> 'source_id')
                      WHEN 'link' THEN (side ->> 'kind') || ' ' || (side ->> 'to_id') ELSE '' END AS key
          FROM jsonb_array_elements(changes) WITH ORDINALITY AS c (change, place)
          CROSS JOIN LATERAL (SELECT coalesce(nullif(c.change -> 'after', 'null'), c.change -> 'before') AS side) one
          WHERE c.change ->> 'noun' IN ('entity', 'mention', 'evidence', 'link', 'note')) s
    ORDER BY s.noun, s.id, s.key, s.place DESC
$$;

-- Its plan is kept for the life of a connection: made while the table was small, it would read all of it ever after.
CREATE FUNCTION keep_rows(entry journal) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    UPDATE row_versions v SET system_to = entry.at FROM rows_left(entry.changes) r
    WHERE v.user_id = entry.user_id AND v.noun = r.noun AND v.id = r.id AND v.key = r.key AND v.system_to IS NULL;
    INSERT INTO row_versions (user_id, noun, id, key, turn, row, system_from)
    SELECT entry.user_id, r.noun, r.id, r.key, entry.version, r."row", entry.at
    FROM rows_left(entry.changes) r WHERE r."row" IS NOT NULL;
END $$;

CREATE FUNCTION keep_rows_of_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM keep_rows(NEW);
    RETURN NULL;
END $$;
CREATE TRIGGER journal_rows AFTER INSERT ON journal FOR EACH ROW EXECUTE FUNCTION keep_rows_of_entry();

-- What the journal holds already, in one go: each row until the next turn that touched it.
INSERT INTO row_versions (user_id, noun, id, key, turn, row, system_from, system_to)
SELECT user_id, noun, id, key, version, "row", at, until
FROM (SELECT j.user_id, r.noun, r.id, r.key, j.version, r."row", j.at,
             lead(j.at) OVER (PARTITION BY j.user_id, r.noun, r.id, r.key ORDER BY j.version) AS until
      FROM journal j CROSS JOIN LATERAL rows_left(j.changes) r) every
WHERE "row" IS NOT NULL;

-- A question about the past is about somebody, or about a time: all versions, open or closed, in the order of validity.
CREATE INDEX fact_versions_about ON fact_versions (user_id, subject_id, predicate, valid_from DESC, fact_id DESC);
CREATE INDEX fact_versions_valid ON fact_versions (user_id, valid_from DESC, fact_id DESC);
CREATE INDEX fact_versions_of ON fact_versions (user_id, object_id) WHERE object_id IS NOT NULL;
CREATE INDEX journal_at ON journal (user_id, at);

-- ---------------------------------------------------------------------------------------------------- known

-- What was believed at `known`, as it was believed then; without a time, what is believed now. What has been forgotten
-- since is gone from every time: its words are. Join these laterally: the planner looks rows of a union up one by one
-- only where the key stands inside.

CREATE FUNCTION rows_known(whose text, of_noun text, known timestamptz) RETURNS SETOF row_versions
LANGUAGE sql STABLE AS $$
    SELECT v.* FROM row_versions v
    WHERE v.user_id = whose AND v.noun = of_noun AND known IS NOT NULL AND v.system_from <= known
      AND (v.system_to IS NULL OR v.system_to > known)
$$;

CREATE FUNCTION entities_known(whose text, known timestamptz)
RETURNS TABLE (user_id text, entity_id text, type text, name bigint, aliases bigint, properties bigint,
               description bigint, confidence double precision, tier text, state text, ttl_policy text,
               sensitivity smallint, is_owner boolean, merged_into text, created_at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT e.user_id, e.entity_id, e.type, e.name, e.aliases, e.properties, e.description, e.confidence, e.tier,
           e.state, e.ttl_policy, e.sensitivity, e.is_owner, e.merged_into, e.created_at
    FROM entities e WHERE e.user_id = whose AND known IS NULL
    UNION ALL
    SELECT v.user_id, v.id, v.row ->> 'type', (v.row ->> 'name')::bigint, (v.row ->> 'aliases')::bigint,
           (v.row ->> 'properties')::bigint, (v.row ->> 'description')::bigint,
           (v.row ->> 'confidence')::double precision, v.row ->> 'tier', v.row ->> 'state', v.row ->> 'ttl_policy',
           (v.row ->> 'sensitivity')::smallint, (v.row ->> 'is_owner')::boolean, v.row ->> 'merged_into',
           to_timestamp((v.row ->> 'created_at')::double precision)
    FROM rows_known(whose, 'entity', known) v
$$;

CREATE FUNCTION mentions_known(whose text, known timestamptz)
RETURNS TABLE (user_id text, entity_id text, segment_key bigint, at timestamptz, confidence double precision)
LANGUAGE sql STABLE AS $$
    SELECT m.user_id, m.entity_id, m.segment_key, m.at, m.confidence
    FROM mentions m WHERE m.user_id = whose AND known IS NULL
    UNION ALL
    SELECT v.user_id, v.id, (v.row ->> 'segment_key')::bigint, to_timestamp((v.row ->> 'at')::double precision),
           (v.row ->> 'confidence')::double precision
    FROM rows_known(whose, 'mention', known) v
$$;

CREATE FUNCTION evidence_known(whose text, known timestamptz)
RETURNS TABLE (user_id text, fact_id text, source_id text, segment_key bigint, quote bigint, at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT v.user_id, v.fact_id, v.source_id, v.segment_key, v.quote, v.at
    FROM evidence v WHERE v.user_id = whose AND known IS NULL
    UNION ALL
    SELECT v.user_id, v.id, v.row ->> 'source_id', (v.row ->> 'segment_key')::bigint, (v.row ->> 'quote')::bigint,
           to_timestamp((v.row ->> 'at')::double precision)
    FROM rows_known(whose, 'evidence', known) v
$$;

CREATE FUNCTION links_known(whose text, known timestamptz)
RETURNS TABLE (user_id text, kind text, from_id text, to_id text, weight double precision)
LANGUAGE sql STABLE AS $$
    SELECT k.user_id, k.kind, k.from_id, k.to_id, k.weight FROM links k WHERE k.user_id = whose AND known IS NULL
    UNION ALL
    SELECT v.user_id, v.row ->> 'kind', v.id, v.row ->> 'to_id', (v.row ->> 'weight')::double precision
    FROM rows_known(whose, 'link', known) v
$$;

CREATE FUNCTION notes_known(whose text, known timestamptz)
RETURNS TABLE (user_id text, note_id text, about_id text, text bigint, author text, created_at timestamptz,
               lifetime text, source_id text)
LANGUAGE sql STABLE AS $$
    SELECT n.user_id, n.note_id, n.about_id, n.text, n.author, n.created_at, n.lifetime, n.source_id
    FROM notes n WHERE n.user_id = whose AND known IS NULL
    UNION ALL
    SELECT v.user_id, v.id, v.row ->> 'about_id', (v.row ->> 'text')::bigint, v.row ->> 'author',
           to_timestamp((v.row ->> 'created_at')::double precision), v.row ->> 'lifetime', v.row ->> 'source_id'
    FROM rows_known(whose, 'note', known) v
$$;

-- ---------------------------------------------------------------------------------------------------- seen then

-- The same through a caller's view, which is always today's: a permission that was taken away is gone for the past too,
-- and so is a segment that a sweep has replaced.

CREATE FUNCTION seen_mentions_known(whose text, in_scopes text[], up_to integer, known timestamptz)
RETURNS TABLE (user_id text, entity_id text, segment_key bigint, at timestamptz, confidence double precision)
LANGUAGE sql STABLE AS $$
    SELECT m.user_id, m.entity_id, m.segment_key, m.at, m.confidence
    FROM mentions_known(whose, known) m
    JOIN seen_segments(in_scopes, up_to) s ON s.segment_key = m.segment_key
$$;

CREATE FUNCTION seen_evidence_known(whose text, in_scopes text[], up_to integer, known timestamptz)
RETURNS TABLE (user_id text, fact_id text, source_id text, segment_key bigint, quote bigint, at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT v.user_id, v.fact_id, v.source_id, v.segment_key, v.quote, v.at
    FROM evidence_known(whose, known) v
    WHERE v.segment_key = 0
       OR EXISTS (SELECT 1 FROM seen_segments(in_scopes, up_to) s WHERE s.segment_key = v.segment_key)
$$;

-- The versions believed at `known`, whatever their status.
CREATE FUNCTION seen_facts_known(whose text, in_scopes text[], up_to integer, known timestamptz)
RETURNS SETOF fact_versions LANGUAGE sql STABLE AS $$
    SELECT f.* FROM seen_facts(whose, in_scopes, up_to) f
    WHERE CASE WHEN known IS NULL THEN f.system_to IS NULL
               ELSE f.system_from <= known AND (f.system_to IS NULL OR f.system_to > known) END
$$;

-- As seen_entities, of what was known at `known` and had been said by `as_of`.
CREATE FUNCTION seen_entities_known(whose text, in_scopes text[], up_to integer, known timestamptz, as_of timestamptz)
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
      AND EXISTS (
          SELECT 1 FROM journal j
          WHERE j.user_id = whose AND j.kind <> 'AcceptReading'
            AND j.version = (SELECT min(t.version) FROM touched t WHERE t.user_id = whose AND t.id = e.entity_id))
$$;

-- A meta fact rests on facts, and on no words of its own: whether all of them are in sight.
CREATE FUNCTION seen_support(whose text, in_scopes text[], up_to integer, meta_id text) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT coalesce(bool_and(EXISTS (
        SELECT 1 FROM fact_versions g
        WHERE g.user_id = whose AND g.fact_id = k.to_id AND g.system_to IS NULL AND g.sensitivity <= up_to
          AND (EXISTS (SELECT 1 FROM seen_evidence(whose, in_scopes, up_to) v WHERE v.fact_id = g.fact_id)
               OR NOT EXISTS (SELECT 1 FROM evidence v WHERE v.user_id = whose AND v.fact_id = g.fact_id)))), false)
    FROM links k WHERE k.user_id = whose AND k.kind = 'derived_from' AND k.from_id = meta_id
$$;

-- The versions believed at `known` and valid at `as_of`, in sight as seen_facts has it. Whether a row is in sight is looked
-- up row by row, after everything else: a list that is read in the order of an index stops at its limit.
CREATE FUNCTION facts_then(whose text, in_scopes text[], up_to integer, known timestamptz, as_of timestamptz,
                           statuses text[], of_predicate text, of_kind text, subjects text[], about text)
RETURNS SETOF fact_versions LANGUAGE sql STABLE AS $$
    SELECT f.* FROM fact_versions f
    WHERE f.user_id = whose AND f.sensitivity <= up_to AND f.status = ANY (statuses) AND f.state <> 'archived'
      AND CASE WHEN known IS NULL THEN f.system_to IS NULL
               ELSE f.system_from <= known AND (f.system_to IS NULL OR f.system_to > known) END
      AND (as_of IS NULL OR (f.valid_from <= as_of AND (f.valid_to IS NULL OR f.valid_to > as_of)))
      AND (of_predicate IS NULL OR f.predicate = of_predicate)
      AND (of_kind IS NULL OR f.kind = of_kind)
      AND (subjects IS NULL OR f.subject_id = ANY (subjects))
      AND (about IS NULL OR f.subject_id = about OR f.object_id = about)
      AND (SELECT coalesce(bool_or(v.segment_key = 0 OR coalesce((
                      SELECT s.scope = ANY (in_scopes) AND s.replaced_by IS NULL AND src.sensitivity <= up_to
                      FROM segments s JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
                      WHERE s.segment_key = v.segment_key), false)), true)
           FROM evidence v WHERE v.user_id = f.user_id AND v.fact_id = f.fact_id)
      AND (f.kind <> 'meta' OR seen_support(whose, in_scopes, up_to, f.fact_id)
           OR EXISTS (SELECT 1 FROM evidence v WHERE v.user_id = f.user_id AND v.fact_id = f.fact_id))
$$;
