/**
 * For operators: rotates the system's key now. `--compromised` also refuses all tokens that the old
 * key signed.
 */
import { parseArgs } from 'node:util';
import { createEnvelope } from '@tessera/kernel/guard';
import { createNotices } from '@tessera/kernel/notices';
import { createDatabase } from '@tessera/kernel/postgres';
import { createLogger } from '@tessera/kernel/telemetry';
import { lifetimesOf, readKeysConfig } from './config.ts';
import { systemScope } from './domain/signing-scope.ts';
import { createKeyNotices } from './signing/key-notices.ts';
import { createKeyring } from './signing/keyring.ts';

const { compromised: isCompromised = false } = parseArgs({ options: { compromised: { type: 'boolean' } } }).values;
const config = readKeysConfig(process.env);
const logger = createLogger({ service: 'keys', level: config.LOG_LEVEL });
const db = createDatabase({
  url: config.DATABASE_URL,
  schema: 'keys',
  poolSize: 2,
  pooler: config.DATABASE_POOLER,
  rlsEnabled: config.SECURITY_ENABLE_RLS,
  logger,
});
const notices = createNotices({ nats: config, databaseUrl: config.DATABASE_URL, secret: config.INTERNAL_AUTH_SECRET, logger });
const keyNotices = createKeyNotices(notices, config.APP_URL);
const keyring = createKeyring({
  db,
  envelope: createEnvelope(config.KEYS_ENCRYPTION_KEY),
  lifetimes: lifetimesOf(config),
  clock: () => new Date(),
  appUrl: config.APP_URL,
  scopeExists: async () => true,
  onChange: keyNotices.publishKeysChanged,
});

const prepared = await keyring.prepare(systemScope);
const now = new Date();
const rotation = await db.transaction((tx) => keyring.rotate(tx, systemScope, prepared, { cause: 'operator', now, isCompromised }));
keyNotices.publishKeysChanged(systemScope);
keyNotices.publishRevocations(rotation.revocations);
logger.info({ kid: rotation.active.kid, rotatedKid: rotation.rotated?.kid, isCompromised }, 'the system signing key was rotated');
await notices.close();
await db.close();
