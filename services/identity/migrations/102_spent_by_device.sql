-- The device that spent a refresh token: only that one may use it again, within the window. Empty for what was spent before.
ALTER TABLE refresh_tokens ADD COLUMN spent_by bytea;
