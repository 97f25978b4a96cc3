/**
 * `npm run backup -- FILE` and `npm run restore -- FILE`. The databases are those of the services'
 * own variables, or the embedded one of a stopped `npm start` in `--data-dir`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { databaseUrl, loginUrl } from '../postgres/bootstrap.ts';
import { startPostgres } from '../postgres/server.ts';
import { type DatabaseService, databaseServices } from '../services.ts';
import { lockFolder } from '../stack/lock.ts';
import type { Secrets } from '../stack/secrets.ts';
import type { End, Manifest } from './format.ts';
import { restoreBackup } from './restore.ts';
import { type Urls, urlsIn } from './schema.ts';
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
  const urls = values['data-dir'] === undefined ? urlsIn(process.env) : await embeddedUrls(values['data-dir'], parts);
  if (task === 'write') say('wrote', file, await writeBackup(urls, file));
  else {
    const adminUrl = values['data-dir'] === undefined ? process.env.DATABASE_ADMIN_URL : undefined;
    say('restored', file, await restoreBackup(urls, file, { adminUrl, replaces: values.replace }));
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** Of a stopped stack: its server runs until this process ends. */
async function embeddedUrls(dataDir: string, parts: AsyncDisposableStack): Promise<Urls> {
  parts.defer(lockFolder(dataDir));
  const server = await startPostgres({ folder: join(dataDir, 'postgres'), profile: 'durable' });
  parts.defer(() => server.stop());
  const { databasePasswords }: Secrets = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
  const url = (service: DatabaseService) =>
    loginUrl(databaseUrl(server.adminUrl, 'tessera'), 'tessera', service, databasePasswords[service]);
  return { identity: url('identity'), tenancy: url('tenancy'), rbac: url('rbac'), keys: url('keys') };
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
