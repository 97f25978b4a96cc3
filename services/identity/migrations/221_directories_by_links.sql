-- A set-up link may make the token of a directory (docs/decisions/037). The account gets its role from an Owner.
ALTER TABLE set_up_links ADD COLUMN allows_directory boolean NOT NULL DEFAULT false;
ALTER TABLE set_up_links ADD COLUMN directory_account_id uuid;
