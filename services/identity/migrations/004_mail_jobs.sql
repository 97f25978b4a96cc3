-- Mail to send: written with the change it tells of, sent at least once, kept for a while so that a message id counts once.
CREATE TABLE mail_jobs (
  id uuid PRIMARY KEY,
  message_id text NOT NULL UNIQUE,
  template text NOT NULL,
  recipient text NOT NULL,
  language text NOT NULL,
  -- What the template needs, encrypted: it may hold a one-time token. Emptied once sent.
  data bytea,
  created_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  done_at timestamptz
);
CREATE INDEX mail_jobs_due ON mail_jobs (due_at) WHERE done_at IS NULL;
CREATE INDEX mail_jobs_done ON mail_jobs (done_at) WHERE done_at IS NOT NULL;
