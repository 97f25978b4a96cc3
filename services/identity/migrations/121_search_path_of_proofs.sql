-- The operator decides about disputed addresses by a statement of docs/operating.md, in a session whose search path is not the service's. The
-- functions behind that statement name their tables without the schema.
ALTER FUNCTION release_proven_address(text, uuid) SET search_path FROM CURRENT;
ALTER FUNCTION keep_proven_address() SET search_path FROM CURRENT;
ALTER FUNCTION release_addresses_of_deleted() SET search_path FROM CURRENT;
