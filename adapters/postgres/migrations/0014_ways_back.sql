-- Who a fact leads to is also found from there: a walk over entities goes both ways.

CREATE INDEX fact_versions_object ON fact_versions (user_id, object_id) WHERE system_to IS NULL AND object_id IS NOT NULL;
