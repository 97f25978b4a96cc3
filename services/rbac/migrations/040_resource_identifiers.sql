-- The address of the API that serves a resource: what a client names as `resource` (RFC 8707). Several resources may be served by one API.
ALTER TABLE resources ADD COLUMN identifier text CHECK (octet_length(identifier) BETWEEN 1 AND 2000);
