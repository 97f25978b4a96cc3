-- Who vouches for a webhook, and by what: the whole subject. NULL: nobody is known, and it stops until somebody vouches for it. For webhooks from
-- before, the audit log tells who last directed them. Only a session counts: what a key or an app directed is stopped.
ALTER TABLE webhooks ADD COLUMN voucher jsonb;
ALTER TABLE webhooks ADD COLUMN vouched_at timestamptz;
-- Since when the voucher does not hold any more, until when the webhook goes on without it, and whether the second mail about it was sent.
ALTER TABLE webhooks ADD COLUMN voucher_ended_at timestamptz;
ALTER TABLE webhooks ADD COLUMN vouched_until timestamptz;
ALTER TABLE webhooks ADD COLUMN is_reminded boolean NOT NULL DEFAULT false;

UPDATE webhooks webhook
SET voucher = jsonb_build_object('type', 'session', 'userId', last.actor_id, 'tokenId', last.token_id), vouched_at = last.at
FROM (
  SELECT DISTINCT ON (target_id) target_id, actor_id, actor_type, token_id, at FROM audit_log
  WHERE outcome = 'ok' AND target_type = 'Webhook'
    AND (action = 'webhook.created' OR action = 'webhook.updated' AND EXISTS (
      SELECT FROM jsonb_array_elements(changes) AS change WHERE change ->> 'field' IN ('url', 'eventTypes', 'outcomes', 'isActive')))
  ORDER BY target_id, at DESC, id DESC
) AS last
WHERE last.target_id = webhook.id::text AND last.actor_type = 'session' AND last.actor_id IS NOT NULL AND last.token_id IS NOT NULL;

-- A job asks for all that are switched on, and takes first who was asked longest ago.
ALTER TABLE webhooks ADD COLUMN voucher_asked_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX webhooks_voucher_asked ON webhooks (voucher_asked_at) WHERE is_active;
