-- How much mail an address got lately is asked before it gets more.
CREATE INDEX mail_jobs_recipient ON mail_jobs (recipient, created_at);
