import { column, table, timestamp } from '@tessera/kernel/postgres';

/** Texts that an organization has written for mails in its name. */
export const mailTexts = table(
  'mail_texts',
  {
    organizationId: column.uuid().primary(),
    template: column.text().primary(),
    language: column.text().primary(),
    subject: column.text(),
    body: column.text(),
    updatedAt: timestamp(),
  },
  {
    checks: [
      { name: 'mail_texts_subject_check', expression: 'octet_length(subject) <= 800' },
      { name: 'mail_texts_body_check', expression: 'octet_length(body) <= 16000' },
    ],
  },
);
