/**
 * `npm run backup -- FILE` and `npm run restore -- FILE`. The databases are those of the services'
 * own variables, or the embedded one of a stopped `npm start` in `--data-dir`. A restore makes it
 * there when it is missing.
 */
import { parseArgs } from 'node:util';
import { databaseServices } from '../services.ts';
import { assertInstallation, openFolder, type Places, prepareFolder } from './folder.ts';
import type { End, Manifest } from './format.ts';
import { restoreBackup, verifyBackup } from './restore.ts';
import { urlsIn } from './schema.ts';
import { writeBackup } from './write.ts';

const usage = 'usage: npm run backup -- FILE [--data-dir FOLDER]\n       npm run restore -- FILE [--data-dir FOLDER] [--replace]\n';
const keptApart = `Keep apart from the backup, or it cannot be used: KEYS_ENCRYPTION_KEY, INTERNAL_AUTH_SECRET, and AUTH_PASSWORD_SECRETS,
AUTH_FACTOR_SECRETS and WEBHOOK_SECRETS where they are set; and the pictures (the bucket, or DATA_DIR).`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'data-dir': { type: 'string' }, replace: { type: 'boolean', default: false } },
  });
  const [task, file] = positionals;
  if (file === undefined || (task !== 'write' && task !== 'restore')) throw new Error(usage);
  await using parts = new AsyncDisposableStack();
  const dataDir = values['data-dir'];
  if (task === 'write') {
    if (dataDir !== undefined) assertInstallation(dataDir);
    say('wrote', file, await writeBackup((await placesOf(dataDir, parts)).urls, file));
  } else {
    if (dataDir !== undefined) prepareFolder(dataDir, await verifyBackup(file), process.env);
    const { urls, adminUrl } = await placesOf(dataDir, parts);
    say('restored', file, await restoreBackup(urls, file, { adminUrl, replaces: values.replace }));
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function placesOf(
  dataDir: string | undefined,
  parts: AsyncDisposableStack,
): Promise<Omit<Places, 'adminUrl'> & { readonly adminUrl: string | undefined }> {
  return dataDir === undefined ? { urls: urlsIn(process.env), adminUrl: process.env.DATABASE_ADMIN_URL } : openFolder(dataDir, parts);
}

function say(done: string, file: string, { rows, seenAt, encryptionKeyIds }: Manifest & End): void {
  const moments = databaseServices.map((service) => Date.parse(seenAt[service]));
  const apartMs = Math.max(...moments) - Math.min(...moments);
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  const moment =
    apartMs === 0 ? `as of ${seenAt.identity}` : `of moments that are ${apartMs} ms apart (docs/operating.md says what that means)`;
  process.stdout.write(`${done} ${count} rows of ${Object.keys(rows).length} tables, ${moment}: ${file}\n`);
  process.stdout.write(`Needs the KEYS_ENCRYPTION_KEY of ${encryptionKeyIds.join(', ') || 'no key yet'}.\n${keptApart}\n`);
}
