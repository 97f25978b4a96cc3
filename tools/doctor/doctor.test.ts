import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEnvelope } from '@tessera/kernel/guard';
import type { Level } from '../../packages/cli/src/doctor/finding.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { databaseServices, type Service, services } from '../services.ts';
import { repositoryFolder } from '../stack/repository.ts';
import { examine, type Report } from './doctor.ts';

const folder = mkdtempSync(join(tmpdir(), 'tessera-doctor-'));
const encryptionKey = randomBytes(32);
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ migrated: ['keys'] });
  const { encryptionKeyId, sealed } = createEnvelope([encryptionKey]).seal(Buffer.from('x'), 'x');
  const client = await database.connect();
  await client.query('INSERT INTO keys.sealed_secrets (name, sealed, encryption_key_id, created_at) VALUES ($1, $2, $3, now())', [
    'x',
    sealed,
    encryptionKeyId,
  ]);
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** The settings of docs/operating.md and of generate-secrets.sh. Nothing listens on their ports. */
function environment(): Record<string, string> {
  const secrets = parseEnv(execFileSync(join(repositoryFolder, 'deploy/generate-secrets.sh'), { encoding: 'utf8' }));
  const of = (service: string, index: number) => ({
    [`${service.toUpperCase()}_DATABASE_URL`]: `postgres://tessera_${service}:${secrets[`${service.toUpperCase()}_DATABASE_PASSWORD`]}@127.0.0.1:1/tessera`,
    [`${service.toUpperCase()}_HTTP_URL`]: `http://127.0.0.1:${4001 + index},http://127.0.0.1:${4101 + index}`,
    [`${service.toUpperCase()}_GRPC_URL`]: `127.0.0.1:${5001 + index}`,
  });
  return Object.assign({ ...secrets, NODE_ENV: 'production', APP_URL: 'https://id.example.com' }, ...databaseServices.map(of));
}

function messages({ findings }: Report, level: Level, check: string): readonly string[] {
  return findings.flatMap((finding) =>
    finding.level === level && finding.check === check ? [`${finding.subject}: ${finding.message}`] : [],
  );
}

async function look(service: Service, changes: Readonly<Record<string, string>>): Promise<Report> {
  return examine({ environment: { ...environment(), ...changes }, services: [service], timeoutMs: 2_000 });
}

describe('the doctor', () => {
  test('accepts the file of generate-secrets.sh for each service, and finds no secret of it made up', async () => {
    const report = await examine({ environment: environment(), isOffline: true });
    expect(report.services).toStrictEqual(services);
    expect(messages(report, 'error', 'configuration')).toStrictEqual([]);
    expect(report.findings.filter(({ check, level }) => check === 'secrets' && level !== 'ok')).toStrictEqual([]);
  });

  test('names a misspelt setting, whichever service reads it', async () => {
    const report = await examine({
      environment: { ...environment(), AUTH_LOCKOUT_ENABLE: 'true', TOKEN_BCRYPT_ROUND: '12' },
      isOffline: true,
    });
    for (const service of services)
      expect(messages(report, 'error', 'configuration')).toEqual(
        expect.arrayContaining([
          `${service}: AUTH_LOCKOUT_ENABLE is not known: AUTH_LOCKOUT_ENABLED is`,
          `${service}: TOKEN_BCRYPT_ROUND is not known: TOKEN_BCRYPT_ROUNDS is`,
        ]),
      );
  });

  test('sees a KEYS_ENCRYPTION_KEY that is not the one under which the database is sealed', async () => {
    const KEYS_DATABASE_URL = database.urls.keys;
    const other = randomBytes(32).toString('base64');
    const wrong = await look('keys', { KEYS_DATABASE_URL, KEYS_ENCRYPTION_KEY: other });
    expect(messages(wrong, 'error', 'encryption')).toStrictEqual([
      expect.stringMatching(/^keys: KEYS_ENCRYPTION_KEY lacks the keys [0-9a-f]{16}, under which signing keys are sealed/),
    ]);
    expect(JSON.stringify(wrong)).not.toContain(other);
    const right = await look('keys', { KEYS_DATABASE_URL, KEYS_ENCRYPTION_KEY: `${other},${encryptionKey.toString('base64')}` });
    expect(messages(right, 'ok', 'encryption')).toStrictEqual(['keys: KEYS_ENCRYPTION_KEY opens everything that is sealed']);
  });

  test('sees a database password that is wrong, and does not show it', async () => {
    const url = new URL(database.urls.keys);
    url.password = 'hunter2';
    const report = await look('keys', { KEYS_DATABASE_URL: url.href });
    expect(messages(report, 'error', 'postgres')).toStrictEqual([expect.stringMatching(/^keys: cannot be used: .*password/)]);
    expect(JSON.stringify(report)).not.toContain('hunter2');
  });

  test('sees a DATA_DIR that can not be written, where mails or pictures go there', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const report = await look('identity', { DATA_DIR: join(file, 'data') });
    expect(messages(report, 'error', 'folder')).toStrictEqual([expect.stringContaining('mails and pictures go there')]);
    expect(messages(await look('identity', { DATA_DIR: join(folder, 'new', 'data') }), 'ok', 'folder')).toHaveLength(1);
    const remote = { EMAIL_PROVIDER: 'smtp', SMTP_URL: 'smtps://x:y@127.0.0.1:1', STORAGE_PROVIDER: 's3', S3_BUCKET: 'pictures' };
    expect(
      (await look('identity', { DATA_DIR: join(file, 'data'), ...remote })).findings.filter(({ check }) => check === 'folder'),
    ).toHaveLength(0);
  });
});
