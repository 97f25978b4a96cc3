import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { patienceMs } from './until.ts';

export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly template: string;
  readonly data: { readonly token?: string; readonly code?: string; readonly url?: string; readonly stopUrl?: string };
  readonly text: string;
  readonly html: string;
  readonly createdAt: string;
};

/** By file: what was written once does not change, and a shared outbox holds many. */
const read = new Map<string, Mail>();

async function readOutbox(dataDir: string): Promise<readonly Mail[]> {
  const folder = join(dataDir, 'outbox');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const mails = await Promise.all(names.map((name) => readMail(join(folder, name))));
  return mails.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}

async function readMail(file: string): Promise<Mail> {
  const mail = read.get(file) ?? (JSON.parse(await readFile(file, 'utf8')) as Mail);
  read.set(file, mail);
  return mail;
}

/** All mails to an address so far, oldest first. */
export async function mailsTo(dataDir: string, address: string): Promise<readonly Mail[]> {
  return (await readOutbox(dataDir)).filter(({ to }) => to === address);
}

/** Waits for the newest mail to an address, because mails come late. `after` skips that many. */
export async function waitForMail(dataDir: string, address: string, template?: string, after = 0): Promise<Mail> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(50)) {
    const mails = (await mailsTo(dataDir, address)).filter((mail) => template === undefined || mail.template === template);
    const newest = mails.at(-1);
    if (newest && mails.length > after) return newest;
  }
  throw new Error(`no ${template ?? ''} mail came to ${address} within ${patienceMs} ms`);
}

/** Where the button of the page leads that the link of a magic-link mail opens. */
export function pressedLink({ data }: Mail): string {
  return String(data.url).replace('/auth/project/email?', '/api/auth/project/callback?');
}
