-- Which subjects have ever led to a person by a connection (decision 23). A link goes with the way to sign in and the person; this
-- stays, so that a member who was removed, blocked or given less does not come back as a new person with the default role.
CREATE TABLE connection_subjects (
  -- SHA-256 of the provider (`connections/<id>`), a space and the subject: nothing of a deleted person can be read from it.
  digest bytea PRIMARY KEY,
  connection_id uuid NOT NULL REFERENCES connections (id) ON DELETE CASCADE
);
CREATE INDEX connection_subjects_connection ON connection_subjects (connection_id);

INSERT INTO connection_subjects (digest, connection_id)
SELECT sha256(convert_to(m.provider || ' ' || m.provider_id, 'UTF8')), l.connection_id
FROM connection_links AS l JOIN authentication_methods AS m ON m.id = l.authentication_method_id;
