-- When the last mail of a domain went to the Owners, also before the record was back: a record that comes and goes is told of once a day.
ALTER TABLE domains ADD COLUMN told_at timestamptz;
