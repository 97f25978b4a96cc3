-- The links that end a recovery: each was sent to one address, and is good while that address is the person's.
CREATE TABLE account_recovery_links (
  hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES account_recoveries ON DELETE CASCADE,
  address text NOT NULL
);
CREATE INDEX account_recovery_links_person ON account_recovery_links (user_id);

-- One hash for all addresses would stay good for an address that was removed. No code used it.
ALTER TABLE account_recoveries DROP COLUMN hash;
