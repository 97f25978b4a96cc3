/** The data folder of a stopped `npm start`, for a backup of it or as the place of a restore. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createEnvelope } from '@tessera/kernel/guard';
import { databaseUrl, loginUrl } from '../postgres/bootstrap.ts';
import { startPostgres } from '../postgres/server.ts';
import type { DatabaseService } from '../services.ts';
import { lockFolder } from '../stack/lock.ts';
import { generateSecrets, type Secrets } from '../stack/secrets.ts';
import type { Manifest } from './format.ts';
import type { Urls } from './schema.ts';

export type Places = { readonly urls: Urls; readonly adminUrl: string };

/**
 * Refuses a folder that a backup cannot be made of. A server started there would make an empty
 * database.
 */
export function assertInstallation(dataDir: string): void {
  const missing = ['secrets.json', join('postgres', 'data')].filter((name) => !existsSync(join(dataDir, name)));
  if (missing.length > 0) throw new Error(`${dataDir} is not the data folder of an installation: it has no ${missing.join(' and no ')}.`);
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Prepares a missing or empty folder for a restore. Without the installation's secrets no sign-in
 * would work there.
 */
export function prepareFolder(dataDir: string, { encryptionKeyIds }: Pick<Manifest, 'encryptionKeyIds'>, environment: Environment): void {
  const file = join(dataDir, 'secrets.json');
  const secrets = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Secrets) : secretsIn(environment, dataDir);
  const { keyIds } = createEnvelope(secrets.keysEncryptionKey.split(',').map((key) => Buffer.from(key.trim(), 'base64')));
  const missing = encryptionKeyIds.filter((id) => !keyIds.includes(id));
  if (missing.length > 0) {
    const place = existsSync(file) ? `secrets.json in ${dataDir}` : 'KEYS_ENCRYPTION_KEY';
    throw new Error(`${place} is of another installation: the backup needs the KEYS_ENCRYPTION_KEY ${missing.join(', ')}.`);
  }
  mkdirSync(dataDir, { recursive: true });
  // As root, the database folder belongs to another account, which must be able to enter this one.
  chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
}

function secretsIn({ KEYS_ENCRYPTION_KEY, INTERNAL_AUTH_SECRET }: Environment, dataDir: string): Secrets {
  if (!KEYS_ENCRYPTION_KEY || !INTERNAL_AUTH_SECRET)
    throw new Error(
      `${dataDir} has no secrets.json, and a backup has no secrets. Put there the secrets.json of the installation that the backup is of, or set ` +
        'its KEYS_ENCRYPTION_KEY and INTERNAL_AUTH_SECRET, and restore again.',
    );
  return { ...generateSecrets(), keysEncryptionKey: KEYS_ENCRYPTION_KEY, internalAuthSecret: INTERNAL_AUTH_SECRET };
}

/** Its server runs until this process ends. A database that is lost is made anew, empty. */
export async function openFolder(folder: string, parts: AsyncDisposableStack): Promise<Places> {
  const dataDir = resolve(folder);
  parts.defer(lockFolder(dataDir));
  const server = await startPostgres({ folder: join(dataDir, 'postgres'), profile: 'durable' });
  parts.defer(() => server.stop());
  const { databasePasswords }: Secrets = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
  const url = (service: DatabaseService) =>
    loginUrl(databaseUrl(server.adminUrl, 'tessera'), 'tessera', service, databasePasswords[service]);
  return { urls: { identity: url('identity'), tenancy: url('tenancy'), rbac: url('rbac'), keys: url('keys') }, adminUrl: server.adminUrl };
}
