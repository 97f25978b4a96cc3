-- Who becomes a member is linked to the directory's row of their address.
CREATE INDEX directory_users_email ON directory_users (organization_id, email);
