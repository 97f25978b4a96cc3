import { createTransport } from 'nodemailer';
import type { MailTransport } from './mail.ts';

/**
 * Mail over SMTP. The message id is the job's, so that a mail program shows a repeated mail once.
 */
export function createSmtpTransport(url: string, from: string): MailTransport {
  const domain = from.slice(from.lastIndexOf('@') + 1).replace(/>$/, '');
  const smtp = createTransport({
    url,
    pool: true,
    maxConnections: 5,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(id, { to, subject, text, html, logo, data: { stopUrl } }) {
      const { id: cid = '', content = '', contentType } = logo ?? {};
      const attachments =
        logo === undefined
          ? []
          : [{ cid, contentType, content, encoding: 'base64', filename: 'logo.png', contentDisposition: 'inline' as const }];
      // A page with a button, no one-click address: programs that read mail follow links.
      const list = typeof stopUrl === 'string' ? { list: { unsubscribe: stopUrl } } : {};
      // nodemailer does not parse an address object, so it cannot become several recipients.
      await smtp.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        attachments,
        ...list,
        messageId: `<${id}@${domain}>`,
      });
    },
    close: async () => smtp.close(),
  };
}
