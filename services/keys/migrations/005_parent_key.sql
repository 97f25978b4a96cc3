-- The key with whose token a key was made. Keys from before are found by their audit row. A token of an app is no key: the id then names none,
-- and such a key is refused, as is one whose parent has ended.
ALTER TABLE api_keys ADD COLUMN parent_key_id uuid;
CREATE INDEX api_keys_by_parent ON api_keys (parent_key_id) WHERE parent_key_id IS NOT NULL;

UPDATE api_keys k SET parent_key_id = a.token_id::uuid
FROM audit_log a
WHERE a.action = 'apiKey.created' AND a.outcome = 'ok' AND a.actor_type = 'apiKey' AND a.target_id = k.id::text;
UPDATE api_keys k SET expires_at = least(k.expires_at, p.expires_at) FROM api_keys p WHERE p.id = k.parent_key_id;

DROP VIEW placed_api_keys;
CREATE VIEW placed_api_keys WITH (security_invoker = true) AS
  SELECT k.*, p.account_id, NULL::uuid AS organization_id, p.project_id, NULL::uuid AS user_id
    FROM api_keys k JOIN account_project_api_keys p ON p.api_key_id = k.id
  UNION ALL
  SELECT k.*, NULL::uuid, p.organization_id, p.project_id, NULL::uuid
    FROM api_keys k JOIN organization_project_api_keys p ON p.api_key_id = k.id
  UNION ALL
  SELECT k.*, p.account_id, p.organization_id, p.project_id, p.user_id
    FROM api_keys k JOIN project_user_api_keys p ON p.api_key_id = k.id;
SELECT grant_to_scoped('placed_api_keys', 'SELECT');
