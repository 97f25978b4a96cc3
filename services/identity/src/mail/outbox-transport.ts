import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mail, MailTransport } from './mail.ts';

type Log = { info(details: object, message: string): void };

/**
 * Mail as files, for trying the product out: JSON for programs, HTML for a browser. A file appears
 * complete, once for each mail, and the JSON last.
 */
export function createOutboxTransport(folder: string, logger: Log): MailTransport {
  async function write(file: string, content: string): Promise<void> {
    await writeFile(`${file}.part`, content, { mode: 0o600 });
    await rename(`${file}.part`, file);
  }
  return {
    async send(id, mail) {
      const path = join(folder, `${mail.createdAt.replaceAll(':', '-')}-${id}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await write(`${path}.html`, withLogo(mail));
      await write(`${path}.json`, `${JSON.stringify(mail, null, 2)}\n`);
      // No address and no token: more people read the log than the outbox.
      logger.info({ template: mail.template, file: `${path}.json` }, 'mail written to the outbox');
    },
    close: async () => undefined,
  };
}

/** The picture comes as a part of a sent mail; a file has to contain it. */
function withLogo({ html, logo }: Mail): string {
  return logo === undefined ? html : html.replaceAll(`"cid:${logo.id}"`, `"data:${logo.contentType};base64,${logo.content}"`);
}
