-- The accounts of a person as tenancy, which owns them, last told: signing in and looking at oneself ask nobody else. NULL where nothing has
-- been told yet. An account's type and owner never change, and it ends with its owner, so that what is told is only ever added to.
ALTER TABLE users ADD COLUMN accounts jsonb;
