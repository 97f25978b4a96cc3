-- What a service owes to others. One row per subscriber; delivered in the order of seq within (key, subscriber).
CREATE TABLE outbox (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL,
  type text NOT NULL,
  key text NOT NULL,
  subscriber text NOT NULL,
  payload jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL DEFAULT now(), -- a lease while somebody delivers it, the backoff after a failure
  attempts integer NOT NULL DEFAULT 0,
  delivered_at timestamptz,
  UNIQUE (id, subscriber)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX outbox_lanes ON outbox (subscriber, key, seq) WHERE delivered_at IS NULL;
CREATE INDEX outbox_pending ON outbox (seq) WHERE delivered_at IS NULL;
CREATE INDEX outbox_delivered ON outbox (delivered_at) WHERE delivered_at IS NOT NULL;

-- What a service has already applied.
CREATE TABLE inbox (
  event_id uuid PRIMARY KEY,
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX inbox_received ON inbox (received_at);

-- The last slot of each scheduled job that some replica ran.
CREATE TABLE jobs (
  name text PRIMARY KEY,
  ran_for timestamptz NOT NULL
);
