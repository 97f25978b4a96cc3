-- Discovery documents and key sets of organizations' providers (docs/decisions/023): for a day, a sign-in goes on while they cannot be read.
CREATE TABLE provider_documents (
  -- SHA-256 of the kind (discovery or keys), a space and the address.
  digest bytea PRIMARY KEY,
  document text NOT NULL,
  read_at timestamptz NOT NULL,
  CONSTRAINT provider_documents_document_check CHECK (octet_length(document) <= 131072)
);
CREATE INDEX provider_documents_read ON provider_documents (read_at);
