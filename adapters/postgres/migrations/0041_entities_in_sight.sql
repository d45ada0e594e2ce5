-- Whether an entity is in sight, asked of one: at the first mention that is. Its figures were added up for that, and of an
-- owner all that was ever said was read, joined and grouped to see that there is something.
CREATE FUNCTION seen_entity(whose text, in_scopes text[], up_to integer, known timestamptz, as_of timestamptz,
                            of_entity text)
RETURNS TABLE (entity_id text) LANGUAGE sql STABLE AS $$
    SELECT m.entity_id FROM seen_mentions_known(whose, in_scopes, up_to, known) m
    WHERE m.entity_id = of_entity AND (as_of IS NULL OR m.at <= as_of)
    UNION ALL
    SELECT e.entity_id FROM entities_known(whose, known) e
    CROSS JOIN LATERAL seen_unmentioned(whose, in_scopes, up_to, known, as_of, e.entity_id, e.created_at) u
    WHERE e.entity_id = of_entity AND e.merged_into IS NULL AND e.sensitivity <= up_to
$$;

-- As before, but who is mentioned is told from who is not by hashing, whatever the planner believes: of rows of the past it
-- expects one, and compared each entity with each.
CREATE OR REPLACE FUNCTION seen_spans(whose text, in_scopes text[], up_to integer, known timestamptz, as_of timestamptz,
                                      ids text[])
RETURNS TABLE (entity_id text, first_seen timestamptz, last_seen timestamptz, mention_count bigint) LANGUAGE sql STABLE AS $$
    WITH heard AS MATERIALIZED (
        SELECT m.entity_id, min(m.at) AS first_seen, max(m.at) AS last_seen, count(*) AS mentions
        FROM seen_mentions_known(whose, in_scopes, up_to, known) m
        WHERE (as_of IS NULL OR m.at <= as_of) AND (ids IS NULL OR m.entity_id = ANY (ids))
        GROUP BY m.entity_id)
    SELECT h.entity_id, h.first_seen, h.last_seen, h.mentions FROM heard h
    UNION ALL
    SELECT b.entity_id, u.first_seen, u.last_seen, 0
    FROM (SELECT e.entity_id, e.created_at FROM entities_known(whose, known) e
          WHERE e.merged_into IS NULL AND e.sensitivity <= up_to AND (ids IS NULL OR e.entity_id = ANY (ids))
            AND e.entity_id NOT IN (SELECT h.entity_id FROM heard h)
          OFFSET 0) b  -- OFFSET 0: the journal is asked of those alone that nobody mentions
    CROSS JOIN LATERAL seen_unmentioned(whose, in_scopes, up_to, known, as_of, b.entity_id, b.created_at) u
$$;

-- Rows of a turn are looked for with the turn, never by the user alone: so by the turn first. By the user first this index
-- looked as cheap as the key where statistics do not know a user yet, and each entity was looked for among all their rows.
DROP INDEX row_versions_turn;
CREATE INDEX row_versions_turn ON row_versions (turn, user_id);
