import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { decodeProtectedHeader } from 'jose';
import { assertWithin, until } from '../../../../test/support/until.ts';
import { signRequest, startTestStack } from '../testing/service.ts';

const stack = await startTestStack({ replicas: 3 });
const admin = await stack.database.connect();
afterAll(() => stack.stop());

type Row = { kid: string; status: string; private_key: Buffer | null };
async function keysOf(scopeId: string): Promise<Row[]> {
  return (
    await admin.query<Row>('SELECT kid, status, private_key FROM keys.signing_keys WHERE scope_id = $1 ORDER BY created_at, kid', [scopeId])
  ).rows;
}
function statuses(rows: readonly Row[]) {
  return rows.map(({ status }) => status).sort();
}

function sign(replica: number, scope: { tenant: string; id: string }, userId = newId()) {
  const { keys } = stack.client(replica);
  const claims = { scope: { tenant: `${scope.tenant}User`, id: `${scope.id}:${userId}` } };
  const request = signRequest(userId, { scope, type: 'apiKey', claimsJson: JSON.stringify(claims) });
  return keys.sign(request, { timeoutMs: 10_000 }).finally(() => keys.close());
}

describe('the first use of a project', () => {
  test('concurrent first signatures on three replicas create one active and one next key [spec:signing-keys.1 spec:key-states.1]', async () => {
    const { scope } = await stack.project();
    const signed = await Promise.all(Array.from({ length: 30 }, (_, index) => sign(index % 3, scope)));
    expect(new Set(signed.map(({ kid }) => kid)).size).toBe(1);
    expect(statuses(await keysOf(scope.id))).toStrictEqual(['active', 'next']);
  });

  test('a project that does not exist gets no keys', async () => {
    const scope = { tenant: 'organizationProject', id: `${newId()}:${newId()}` };
    await expect(sign(0, scope)).rejects.toMatchObject({ kind: 'not-found' });
    expect(await keysOf(scope.id)).toStrictEqual([]);
  });

  test('three replicas start the system with one active and one next key [spec:key-states.2]', async () =>
    expect(statuses(await keysOf(''))).toStrictEqual(['active', 'next']));
});

describe('rotation', () => {
  test('a rotation activates the published next key, removes the old private key and creates a new next key [spec:key-states.3 spec:discovery.5]', async () => {
    const { scope, token, userId } = await stack.project();
    const { kid: first } = await sign(0, scope);
    const next = (await keysOf(scope.id)).find(({ status }) => status === 'next')?.kid;
    const headers = { 'x-request-id': 'rotation-1' };
    const rotated = await stack.request('POST', '/api/signing-keys/rotate', { token, headers, body: { scope } });
    expect(rotated.status).toStrictEqualFor(rotated.text, 201);
    const { rows: audited } = await admin.query(
      `SELECT action, cause, actor_id, request_id FROM keys.signing_key_audit_logs WHERE scope_id = $1 AND cause = 'request' ORDER BY action`,
      [scope.id],
    );
    const by = { cause: 'request', actor_id: userId, request_id: 'rotation-1' };
    expect(audited).toStrictEqual([
      { action: 'activated', ...by },
      { action: 'created', ...by },
      { action: 'rotated', ...by },
    ]);
    expect([rotated.data['kid'], rotated.data['status']]).toStrictEqual([next, 'active']);
    const rows = await keysOf(scope.id);
    expect(statuses(rows)).toStrictEqual(['active', 'next', 'rotated']);
    expect(rows.find(({ kid }) => kid === first)?.private_key).toBeNull();
    expect(rotated.text).not.toContain('rivate');
  });

  test('concurrent rotations and signatures leave exactly one active and one next key', async () => {
    const { scope, token } = await stack.project();
    const rotations = Array.from({ length: 9 }, (_, index) =>
      stack.request('POST', '/api/signing-keys/rotate', { token, body: { scope, compromised: index % 2 === 0 }, replica: index % 3 }),
    );
    const [answers] = await Promise.all([Promise.all(rotations), ...Array.from({ length: 12 }, (_, index) => sign(index % 3, scope))]);
    expect([...new Set(answers.map(({ status }) => status))]).toStrictEqual([201]);
    const rows = await keysOf(scope.id);
    expect(statuses(rows).filter((status) => status !== 'rotated')).toStrictEqual(['active', 'next']);
    expect((await sign(1, scope)).kid).toBe(rows.find(({ status }) => status === 'active')?.kid);
  });

  test('a notice of a rotation makes every replica sign with the new key within a second', async () => {
    const { scope, token } = await stack.project();
    await Promise.all([0, 1, 2].map((replica) => sign(replica, scope)));
    // Without a notice the old key would be trusted for two seconds.
    await assertWithin(1_000, async () => {
      const { data } = await stack.request('POST', '/api/signing-keys/rotate', { token, body: { scope }, replica: 1 });
      for (const replica of [0, 1, 2]) await until(async () => (await sign(replica, scope)).kid === String(data['kid']));
    });
  });

  test('rotating a compromised key removes it from the JWKS and refuses its tokens on every replica [spec:signing.4 spec:events.2]', async () => {
    const { scope, token, roleId, jwksPath } = await stack.project();
    const created = await stack.request('POST', '/api/api-keys', { token, body: { scope, name: 'k', roleId } });
    const { clientId, clientSecret } = created.data;
    const exchange = () => stack.request('POST', '/api/auth/token', { body: { clientId, clientSecret, scope } });
    const stolen = String((await exchange()).data['accessToken']);
    const { kid } = decodeProtectedHeader(stolen);
    const list = (bearer: string, replica: number) =>
      stack.request('GET', `/api/signing-keys?scopeId=${scope.id}&tenant=${scope.tenant}`, { token: bearer, replica });
    expect((await list(stolen, 1)).status).toBe(200);
    await stack.request('POST', '/api/signing-keys/rotate', { token, body: { scope, compromised: true } });
    expect((await list(stolen, 0)).status).toBe(401);
    await until(async () => (await list(stolen, 1)).status === 401);
    for (const replica of [0, 2]) await until(async () => !(await stack.request('GET', jwksPath, { replica })).text.includes(String(kid)));
    const { keys } = stack.client(2);
    await expect(keys.getVerificationKey({ kid: String(kid) })).rejects.toMatchObject({ kind: 'not-found' });
    keys.close();
    expect((await list(String((await exchange()).data['accessToken']), 0)).status).toBe(200);
    const { rows } = await admin.query('SELECT action FROM keys.signing_key_audit_logs WHERE kid = $1 ORDER BY at, action', [kid]);
    expect(rows.map(({ action }) => action)).toStrictEqual(['activated', 'created', 'compromised']);
  });
});

describe('the database itself', () => {
  test('the database refuses a second active and a second next key of a scope', async () => {
    for (const status of ['active', 'next']) {
      const insert = `INSERT INTO keys.signing_keys (kid, tenant, scope_id, status, modulus, exponent, private_key, encryption_key_id, created_at, activated_at)
        VALUES ($1, 'system', '', $2, 'n', 'e', '\\x00', 'id', now(), CASE WHEN $2 = 'active' THEN now() END)`;
      await expect(admin.query(insert, [newId(), status])).rejects.toMatchObject({ code: '23505' });
    }
  });

  test('the database refuses a rotated key with a private key', async () => {
    const update = `UPDATE keys.signing_keys SET status = 'rotated', rotated_at = now(), retires_at = now() WHERE tenant = 'system' AND status = 'active'`;
    await expect(admin.query(update)).rejects.toMatchObject({ code: '23514' });
  });
});
