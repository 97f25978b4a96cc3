-- Claims that an app gets besides the standard ones (docs/decisions/043), and those that the newest token had no room for.
ALTER TABLE project_apps
  ADD COLUMN claims jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN left_out_claims jsonb,
  ADD CONSTRAINT project_apps_claims_check
    CHECK (jsonb_typeof(claims) = 'array' AND jsonb_array_length(claims) <= 20 AND (claims = '[]' OR (type IS NOT NULL AND type <> 'machine')));
