import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseService } from '../services.ts';

export interface Secrets {
  /** Signs the credentials that services show each other. */
  readonly internalAuthSecret: string;
  /** Encrypts private signing keys: 32 bytes in base64. Without it the keys are lost. */
  readonly keysEncryptionKey: string;
  readonly databasePasswords: { readonly [service in DatabaseService]: string };
}

/**
 * The generated secrets of a data folder: created on first use, then kept, readable by the owner
 * only.
 */
export function keepSecrets(folder: string): Secrets {
  const file = join(folder, 'secrets.json');
  if (!existsSync(file)) {
    const partial = `${file}.new`;
    writeFileSync(partial, `${JSON.stringify(generateSecrets(), null, 2)}\n`, { mode: 0o600 });
    renameSync(partial, file);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Secrets;
}

export function generateSecrets(): Secrets {
  const password = () => randomBytes(24).toString('base64url');
  return {
    internalAuthSecret: randomBytes(32).toString('base64url'),
    keysEncryptionKey: randomBytes(32).toString('base64'),
    databasePasswords: { identity: password(), tenancy: password(), rbac: password(), keys: password() },
  };
}
