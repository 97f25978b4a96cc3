-- Texts that an organization has written for mails in its name. Without a row the standard text is sent.
CREATE TABLE mail_texts (
  organization_id uuid NOT NULL,
  template text NOT NULL,
  language text NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, template, language),
  CONSTRAINT mail_texts_subject_check CHECK (octet_length(subject) <= 800),
  CONSTRAINT mail_texts_body_check CHECK (octet_length(body) <= 16000)
);
