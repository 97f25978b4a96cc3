import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { decodeJwt } from 'jose';
import { apiKeysOf, type Body } from '../../testing/api-keys.ts';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ replicas: 2 });
});
afterAll(() => stack.stop());

const { createKey, exchange, remove, revoke } = apiKeysOf(() => stack);

describe('exchanging', () => {
  test('unknown, wrong, revoked, expired, deleted and out-of-scope credentials get the same response', async () => {
    const project = await stack.project();
    const other = await stack.project();
    const good = await createKey(project);
    const [revoked, deleted, erased, expired] = [
      await createKey(project),
      await createKey(project),
      await createKey(project),
      await createKey(project),
    ];
    await revoke(project, revoked.id);
    await remove(project, deleted.id);
    await remove(project, erased.id, '&hardDelete=true');
    const admin = await stack.database.connect();
    await admin.query('UPDATE keys.api_keys SET expires_at = now() WHERE id = $1', [expired.id]);
    const bad: Record<string, Body> = {
      'an unknown client': { ...good.credentials, clientId: newId() },
      'a client that is no id': { ...good.credentials, clientId: "' OR 1=1 --" },
      'a wrong secret': { ...good.credentials, clientSecret: 'tsk_wrong' },
      'the secret of another key': { ...good.credentials, clientSecret: (await createKey(project)).credentials.clientSecret },
      'a revoked key': revoked.credentials,
      'a deleted key': deleted.credentials,
      'an erased key': erased.credentials,
      'an expired key': expired.credentials,
      'another project': { ...good.credentials, scope: other.scope },
      'one’s own user in the project': { ...good.credentials, scope: project.userScope },
      'another kind of project': { ...good.credentials, scope: { ...project.scope, tenant: 'accountProject' } },
    };
    const bodies = new Set<string>();
    for (const [name, credentials] of Object.entries(bad)) {
      const { status, text, json } = await exchange(credentials);
      expect([name, status, json['code']]).toStrictEqual([name, 401, 'UNAUTHENTICATED']);
      bodies.add(text);
    }
    expect(bodies.size).toBe(1);
    expect((await exchange(good.credentials)).status).toBe(200);
  });

  test('exchanges of the same moment get the tokens of their own keys, and no other', async () => {
    const project = await stack.project();
    const keys = await Promise.all(Array.from({ length: 6 }, () => createKey(project)));
    const first = keys[0]?.credentials;
    const asked = keys.flatMap(({ id, credentials }) => [
      { wanted: id, credentials },
      { wanted: id, credentials },
      { wanted: undefined, credentials: { ...credentials, clientId: newId() } },
      { wanted: undefined, credentials: { ...credentials, clientSecret: 'tsk_wrong' } },
      { wanted: credentials === first ? id : undefined, credentials: { ...credentials, clientSecret: first?.clientSecret } },
    ]);
    const answers = await Promise.all(asked.map(({ credentials }) => exchange(credentials)));
    const idOf = (token: unknown) => (typeof token === 'string' ? decodeJwt(token).jti : undefined);
    expect(answers.map(({ status, data }) => [status, idOf(data?.['accessToken'])])).toStrictEqual(
      asked.map(({ wanted }) => [wanted === undefined ? 401 : 200, wanted]),
    );
  });

  test('an exchange is refused after the project or the creator’s membership has ended', async () => {
    for (const end of ['project', 'member'] as const) {
      const project = await stack.project();
      const { credentials } = await createKey(project);
      if (end === 'project') stack.peers.scopes.delete(`${project.scope.tenant} ${project.scope.id}`);
      else stack.peers.people.delete(`${project.parentId} ${project.userId}`);
      expect([end, (await exchange(credentials, 1)).status]).toStrictEqual([end, 401]);
    }
  });

  test('an exchange is refused when the creator could no longer create the key, and allowed when its role was deleted', async () => {
    for (const [verdict, status] of [
      ['above-own-rank', 401],
      ['escalation', 401],
      ['not-found', 200],
    ] as const) {
      const project = await stack.project();
      const { credentials } = await createKey(project);
      stack.peers.verdicts.set(project.roleId, verdict);
      expect([verdict, (await exchange(credentials)).status]).toStrictEqual([verdict, status]);
    }
  });

  test('a suspended account or organization gets no token and is told so, once the secret is proven', async () => {
    for (const tenant of ['organizationProject', 'accountProject'] as const) {
      const [project, other] = [await stack.project(tenant), await stack.project(tenant)];
      const [{ credentials }, { credentials: ofAnother }] = [await createKey(project), await createKey(other)];
      const parent = tenant === 'accountProject' ? 'account' : 'organization';
      const admin = await stack.database.connect();
      const suspend = (isSuspended: boolean, kind = parent) =>
        admin.query(
          `INSERT INTO keys.restricted_tenants (tenant, tenant_id, is_suspended) VALUES ($1, $2, $3)
           ON CONFLICT (tenant, tenant_id) DO UPDATE SET is_suspended = excluded.is_suspended`,
          [kind, project.parentId, isSuspended],
        );
      // The same id of the other kind is another tenant.
      await suspend(true, parent === 'account' ? 'organization' : 'account');
      expect([tenant, (await exchange(credentials)).status]).toStrictEqual([tenant, 200]);
      await suspend(true);
      const { status, json } = await exchange(credentials);
      expect([tenant, status, json['code']]).toStrictEqual([tenant, 403, 'TENANT_SUSPENDED']);
      const guessed = await exchange({ ...credentials, clientSecret: 'tsk_wrong' });
      expect([tenant, guessed.status, guessed.json['code']]).toStrictEqual([tenant, 401, 'UNAUTHENTICATED']);
      expect([tenant, (await exchange(ofAnother)).status]).toStrictEqual([tenant, 200]);
      await suspend(false);
      expect([tenant, (await exchange(credentials, 1)).status]).toStrictEqual([tenant, 200]);
    }
  });

  test('a token expires no later than its key', async () => {
    const project = await stack.project();
    const endsAt = Date.now() + 60_000;
    const { credentials } = await createKey(project, { expiresAt: new Date(endsAt).toISOString() });
    const { data } = await exchange(credentials);
    const left = Number(data['expiresIn']);
    expect([`${left}`, left <= 60 && left >= Math.floor((endsAt - Date.now()) / 1_000) - 1]).toStrictEqual([`${left}`, true]);
  });

  test('exchangeApiKey refuses a body that does not match its schema exactly', async () => {
    const project = await stack.project();
    const { credentials } = await createKey(project);
    for (const body of [
      {},
      { ...credentials, extra: 1 },
      { ...credentials, clientSecret: 5 },
      { ...credentials, scope: undefined },
      { ...credentials, clientSecret: ['x'] },
    ]) {
      expect((await exchange(body)).json['code']).toBe('VALIDATION_ERROR');
    }
  });

  test('every successful exchange has its audit row', async () => {
    const project = await stack.project();
    const { credentials, id } = await createKey(project);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => exchange(credentials, index % 2)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const admin = await stack.database.connect();
    const { rows } = await admin.query(
      `SELECT actor_id, scope_tenant, scope_id FROM keys.audit_log WHERE action = 'apiKey.exchanged' AND outcome = 'ok' AND target_id = $1`,
      [id],
    );
    expect(rows).toHaveLength(40);
    expect(rows[0]).toStrictEqual({ actor_id: project.userId, scope_tenant: project.scope.tenant, scope_id: project.scope.id });
  });

  test('an exchange whose audit row cannot be committed gives no token', async () => {
    const project = await stack.project();
    const { credentials, id } = await createKey(project);
    const admin = await stack.database.connect();
    await admin.query(`CREATE FUNCTION keys.refuse_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no audit'; END $$`);
    await admin.query(`CREATE CONSTRAINT TRIGGER refuse_audit AFTER INSERT ON keys.audit_log INITIALLY DEFERRED FOR EACH ROW
      WHEN (NEW.target_id = '${id}') EXECUTE FUNCTION keys.refuse_audit()`);
    const { status, data } = await exchange(credentials);
    expect([status, data['accessToken']]).toStrictEqual([500, undefined]);
    await admin.query('DROP TRIGGER refuse_audit ON keys.audit_log');
    const { rows } = await admin.query('SELECT last_used_at FROM keys.api_keys WHERE id = $1', [id]);
    // Its use is rolled back with it.
    expect(rows).toStrictEqual([{ last_used_at: null }]);
    expect((await exchange(credentials)).status).toBe(200);
  });

  test('an exchange sets lastUsedAt, at most once a minute', async () => {
    const project = await stack.project();
    const { credentials, id } = await createKey(project);
    const admin = await stack.database.connect();
    const row = async () => (await admin.query('SELECT last_used_at AS at, xmin FROM keys.api_keys WHERE id = $1', [id])).rows[0];
    await exchange(credentials);
    const first = await row();
    expect(Math.abs(first.at.getTime() - Date.now())).toBeLessThan(60_000);
    await Promise.all(Array.from({ length: 10 }, () => exchange(credentials)));
    expect(await row()).toStrictEqual(first);
    await admin.query(`UPDATE keys.api_keys SET last_used_at = now() - interval '61 seconds' WHERE id = $1`, [id]);
    await exchange(credentials);
    expect((await row()).at >= first.at).toBe(true);
  });
});
