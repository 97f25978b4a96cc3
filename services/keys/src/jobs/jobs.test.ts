import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createEnvelope } from '@tessera/kernel/guard';
import { createDatabase } from '@tessera/kernel/postgres';
import { lifetimesOf, readKeysConfig } from '../config.ts';
import { type SigningScope, systemScope } from '../domain/signing-scope.ts';
import { createKeyring } from '../signing/keyring.ts';
import { listSigningKeys } from '../storage/signing-keys.ts';
import { appUrl, startTestStack } from '../testing/service.ts';
import { assertAllOpenable, resealAll } from './reseal.ts';
import { startJobs } from './start.ts';

const stack = await startTestStack();
const db = createDatabase({ url: stack.database.urls.keys, schema: 'keys', rlsEnabled: false });
afterAll(async () => {
  await db.close();
  await stack.stop();
});

const logger = {
  info: () => undefined,
  warn: () => undefined,
  error: (details: object) => {
    throw new Error(JSON.stringify(details));
  },
};
function config() {
  return readKeysConfig(stack.environment);
}

function replica(clock: () => Date, jwksMaxAgeSeconds = 3600) {
  const envelope = createEnvelope(config().KEYS_ENCRYPTION_KEY);
  const changed: SigningScope[] = [];
  const countOperation = () => undefined;
  const keyring = createKeyring({
    db,
    envelope,
    lifetimes: lifetimesOf(config()),
    clock,
    appUrl,
    scopeExists: async () => true,
    onChange: () => undefined,
  });
  const keyNotices = { publishRevocations: () => undefined, publishKeysChanged: (scope: SigningScope) => void changed.push(scope) };
  const jobs = startJobs({
    db,
    envelope,
    keyring,
    keyNotices,
    clock,
    logger,
    countOperation,
    rotationSchedule: '0 0 1 * *',
    jwksMaxAgeSeconds,
  });
  const [, cleanUp, rotation] = jobs;
  assert.ok(rotation && cleanUp);
  return { changed, cleanUp, rotation, stop: () => Promise.all(jobs.map((job) => job.stop())) };
}

describe('the scheduled rotation of the system’s key', () => {
  test('the system key is rotated once per slot by one of three replicas, and not for a slot before its activation [spec:key-states.3]', async () => {
    const activeKid = async () => (await listSigningKeys(db, systemScope)).find(({ status }) => status === 'active')?.kid;
    const countRotated = async () => (await listSigningKeys(db, systemScope)).filter(({ status }) => status === 'rotated').length;
    const first = await activeKid();
    const now = { at: new Date() };
    const replicas = [1, 2, 3].map(() => replica(() => now.at));
    await Promise.all(replicas.map(({ rotation }) => rotation.runIfDue(now.at)));
    // The key is younger than the slot that has passed.
    expect(await activeKid()).toBe(first);
    const firstOfNextMonth = new Date(Date.UTC(now.at.getUTCFullYear(), now.at.getUTCMonth() + 1, 1, 0, 0, 5));
    now.at = firstOfNextMonth;
    // One of the replicas gets the slot, or none does and one gets it at the next attempt.
    for (let round = 0; round < 3 || (round < 40 && (await activeKid()) === first); round += 1)
      await Promise.all(replicas.map(({ rotation }) => rotation.runIfDue(now.at)));
    const second = await activeKid();
    expect(second).not.toBe(first);
    expect(replicas.flatMap(({ changed }) => changed)).toHaveLength(1);
    expect(await listSigningKeys(db, systemScope)).toHaveLength(3);

    // Its successor was made a month ago; where verifiers may keep what they read for two, not all
    // know it yet.
    now.at = new Date(Date.UTC(now.at.getUTCFullYear(), now.at.getUTCMonth() + 1, 1, 0, 0, 5));
    const careful = replica(() => now.at, 60 * 86_400);
    await careful.rotation.runIfDue(now.at);
    expect(await activeKid()).toBe(second);

    // The refresh lifetime and seven days after the rotation.
    for (const [days, rotated] of [
      [36, 1],
      [38, 0],
    ] as const) {
      now.at = new Date(firstOfNextMonth.getTime() + days * 86_400_000);
      for (let round = 0; round < 1 || (round < 40 && (await countRotated()) !== rotated); round += 1)
        await careful.cleanUp.runIfDue(now.at);
      expect(await countRotated()).toStrictEqualFor(`${days} days`, rotated);
    }
    const admin = await stack.database.connect();
    const { rows } = await admin.query(`SELECT cause FROM keys.signing_key_audit_logs WHERE kid = $1 AND action = 'retired'`, [first]);
    expect(rows).toStrictEqual([{ cause: 'retention' }]);
    await Promise.all([...replicas, careful].map(({ stop }) => stop()));
  });
});

describe('the clean-up', () => {
  test('the clean-up removes expired revocations and keys deleted 90 days ago, and keeps younger ones', async () => {
    const project = await stack.project();
    const { data } = await stack.request('POST', '/api/api-keys', {
      token: project.token,
      body: { scope: project.scope, name: 'k', roleId: project.roleId },
    });
    const query = `scopeId=${project.scope.id}&tenant=${project.scope.tenant}`;
    await stack.request('DELETE', `/api/api-keys/${data['id']}?${query}`, { token: project.token });
    const admin = await stack.database.connect();
    const left = async () => {
      const { rows } = await admin.query(
        `SELECT (SELECT count(*)::int FROM keys.api_keys WHERE id = $1) AS keys, (SELECT count(*)::int FROM keys.revocations WHERE value = $1) AS revocations`,
        [data['id']],
      );
      return [rows[0].keys, rows[0].revocations];
    };
    expect(await left()).toStrictEqual([1, 1]);
    // Longer than the month and the days of the test above: a slot comes once.
    const now = { at: new Date(Date.now() + 80 * 86_400_000) };
    const { cleanUp, stop } = replica(() => now.at);
    for (const [days, expected] of [
      [80, [1, 0]],
      [91, [0, 0]],
    ] as const) {
      now.at = new Date(Date.now() + days * 86_400_000);
      for (let round = 0; round < 1 || (round < 40 && String(await left()) !== String(expected)); round += 1)
        await cleanUp.runIfDue(now.at);
      expect(await left()).toStrictEqualFor(`${days} days`, expected);
    }
    await stop();
  });
});

describe('changing KEYS_ENCRYPTION_KEY', () => {
  test('the reseal job seals everything under the first key, after which the old key can be removed', async () => {
    const project = await stack.project();
    const body = { scope: project.scope, name: 'k', roleId: project.roleId };
    const { data } = await stack.request('POST', '/api/api-keys', { token: project.token, body });
    const credentials = { clientId: data['clientId'], clientSecret: data['clientSecret'], scope: project.scope };
    expect((await stack.request('POST', '/api/auth/token', { body: credentials })).status).toBe(200);

    const [newKey = Buffer.alloc(0), ...oldKeys] = [randomBytes(32), ...config().KEYS_ENCRYPTION_KEY];
    const onlyNew = createEnvelope([newKey]);
    await expect(assertAllOpenable(db, onlyNew)).rejects.toThrow(/lacks the keys [0-9a-f]{16}/);
    const count = await db.transaction((tx) => resealAll(tx, createEnvelope([newKey, ...oldKeys])));
    // Two system keys, two of the project with one of P-256 each, and the hash key: ….
    expect(count).toBeGreaterThanOrEqual(7);
    expect(await db.transaction((tx) => resealAll(tx, createEnvelope([newKey, ...oldKeys])))).toBe(0);
    await assertAllOpenable(db, onlyNew);

    // A replica that knows only the new key signs, and takes the API keys that were made before.
    const app = await stack.start({ KEYS_ENCRYPTION_KEY: newKey.toString('base64') });
    stack.apps.push(app);
    const again = await stack.request('POST', '/api/auth/token', { body: credentials, replica: stack.apps.length - 1 });
    expect(again.status).toStrictEqualFor(again.text, 200);
    const { keys } = stack.client(stack.apps.length - 1);
    const [active] = (await keys.listPublishedKeys({ scope: project.scope })).keys;
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [parentId, projectId] = project.scope.id.split(':');
    const issuer = `${appUrl}/org/${parentId}/prj/${projectId}`;
    const claims = { iss: issuer, sub: project.userId, aud: 'an-app', iat: 1, exp: 2 };
    const signingInput = `${encode({ alg: 'ES256', kid: active?.es256?.kid })}.${encode(claims)}`;
    expect((await keys.signIdToken({ scope: project.scope, signingInput })).signature).toHaveLength(86);
    keys.close();
  });
});
