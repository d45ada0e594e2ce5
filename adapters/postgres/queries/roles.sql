-- Roles: who owns the database, what is walled, and what a role may do.

-- name: owner
SELECT current_database() AS database, r.rolname AS owner, r.rolsuper AS superuser, r.rolsuper OR r.rolcreaterole AS creates
FROM pg_roles r WHERE r.rolname = current_user;

-- name: walled
SELECT c.relname AS name FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relrowsecurity ORDER BY 1;

-- name: tables
SELECT c.relname AS name FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY 1;

-- name: role
SELECT 1 FROM pg_roles WHERE rolname = %(name)s;

-- name: policy
SELECT 1 FROM pg_policies WHERE schemaname = 'public' AND tablename = %(table)s AND policyname = %(name)s
  AND roles = ARRAY[%(role)s]::name[];

-- name: lifting
SELECT prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = 'lift_wall';

-- name: rights
-- What the role of this connection may do beyond rows, as words for a person; empty as it should be.
SELECT current_user AS role, array_remove(ARRAY[
    CASE WHEN r.rolsuper THEN 'superuser' END, CASE WHEN r.rolbypassrls THEN 'bypassrls' END,
    CASE WHEN r.rolcreaterole THEN 'createrole' END, CASE WHEN r.rolcreatedb THEN 'createdb' END,
    CASE WHEN r.rolreplication THEN 'replication' END,
    CASE WHEN EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relowner = r.oid)
         THEN 'owner of the tables' END], NULL) AS beyond
FROM pg_roles r WHERE r.rolname = current_user;
