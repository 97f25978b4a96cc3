import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MailTransport } from './mail.ts';

type Log = { info(details: object, message: string): void };

/** Mail as JSON files, for trying the product out. A file appears complete, once for each mail. */
export function createOutboxTransport(folder: string, logger: Log): MailTransport {
  return {
    async send(id, mail) {
      const file = join(folder, `${mail.createdAt.replaceAll(':', '-')}-${id}.json`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(`${file}.part`, `${JSON.stringify(mail, null, 2)}\n`, { mode: 0o600 });
      await rename(`${file}.part`, file);
      // No address and no token: more people read the log than the outbox.
      logger.info({ template: mail.template, file }, 'mail written to the outbox');
    },
    close: async () => undefined,
  };
}
