import { defineOperation } from '@tessera/kernel/operation';
import type { Database } from '@tessera/kernel/postgres';
import type { Lifetimes } from './domain/signing-key.ts';
import type { Projects } from './peers/projects.ts';
import type { Roles } from './peers/roles.ts';
import type { KeyNotices } from './signing/key-notices.ts';
import type { Keyring } from './signing/keyring.ts';
import type { SecretHasher } from './signing/secrets.ts';
import type { Signer } from './signing/signer.ts';
import type { CredentialedKey } from './storage/api-keys.ts';

export type KeysDeps = {
  readonly database: Database;
  readonly appUrl: string;
  readonly lifetimes: Lifetimes;
  readonly keyring: Keyring;
  readonly sign: Signer;
  readonly hasher: SecretHasher;
  /** By the client id. The look-ups of the same moment are one statement. */
  readonly findCredentials: (clientId: string) => Promise<CredentialedKey | undefined>;
  readonly projects: Projects;
  readonly roles: Roles;
  readonly keyNotices: KeyNotices;
  /** For accounts and organizations without a limit of their own; 0 is none. */
  readonly mostApiKeys: number;
};

export const operation = defineOperation<KeysDeps>();
