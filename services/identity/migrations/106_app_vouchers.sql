-- Who vouches for an app, and by what: the whole subject (user, kind of token, role of the key, cap of the app). NULL: nobody does, and the app
-- is stopped until somebody vouches anew. For apps from before, the audit log tells by what they were last directed. Only a session counts: what
-- a key or an app directed, and what the log does not tell any more, is stopped.
ALTER TABLE project_apps ADD COLUMN voucher jsonb;
UPDATE project_apps SET vouched_by = created_by WHERE vouched_by IS NULL;
CREATE INDEX project_apps_voucher ON project_apps (vouched_by);

UPDATE project_apps app
SET voucher = jsonb_build_object('type', 'session', 'userId', app.vouched_by, 'tokenId', last.token_id)
FROM (
  SELECT DISTINCT ON (target_id) target_id, actor_id, actor_type, token_id FROM audit_log
  WHERE outcome = 'ok' AND target_type = 'ProjectApp'
    AND (action = 'project-app.created' OR action = 'project-app.updated' AND detail ?| '{redirectUris,scopes,allowSignUp,signUpRoleId}')
  ORDER BY target_id, at DESC, id DESC
) AS last
WHERE last.target_id = app.id::text AND last.actor_type = 'session' AND last.actor_id = app.vouched_by;
