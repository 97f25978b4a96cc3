import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { apiKeysOf, type Body } from '../../testing/api-keys.ts';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack({ replicas: 2 });
});
after(() => stack.stop());

const { createKey, exchange, remove, revoke } = apiKeysOf(() => stack);

describe('exchanging', () => {
  it('answers unknown, wrong, revoked, expired, deleted and out-of-scope alike', async () => {
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
    const admin = await stack.admin();
    await admin.query('UPDATE keys.api_keys SET expires_at = now() WHERE id = $1', [expired.id]);
    await admin.end();
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
      assert.deepEqual([status, json['code']], [401, 'UNAUTHENTICATED'], name);
      bodies.add(text);
    }
    assert.equal(bodies.size, 1);
    assert.equal((await exchange(good.credentials)).status, 200);
  });

  it('ends with the project, with the creator’s membership, and with the user’s', async () => {
    for (const end of ['project', 'member'] as const) {
      const project = await stack.project();
      const { credentials } = await createKey(project);
      if (end === 'project') stack.peers.scopes.delete(`${project.scope.tenant} ${project.scope.id}`);
      else stack.peers.people.delete(`${project.parentId} ${project.userId}`);
      assert.equal((await exchange(credentials, 1)).status, 401, end);
    }
  });

  it('ends when its creator could no longer make such a key; a role that is gone gives nothing', async () => {
    for (const [verdict, status] of [
      ['above-own-rank', 401],
      ['escalation', 401],
      ['not-found', 200],
    ] as const) {
      const project = await stack.project();
      const { credentials } = await createKey(project);
      stack.peers.verdicts.set(project.roleId, verdict);
      assert.equal((await exchange(credentials)).status, status, verdict);
    }
  });

  it('gives a token that ends with its key', async () => {
    const project = await stack.project();
    const endsAt = Date.now() + 60_000;
    const { credentials } = await createKey(project, { expiresAt: new Date(endsAt).toISOString() });
    const { data } = await exchange(credentials);
    const left = Number(data['expiresIn']);
    assert.ok(left <= 60 && left >= Math.floor((endsAt - Date.now()) / 1_000) - 1, `${left}`);
  });

  it('is not coerced: a body that is not exactly right is a 400', async () => {
    const project = await stack.project();
    const { credentials } = await createKey(project);
    for (const body of [
      {},
      { ...credentials, extra: 1 },
      { ...credentials, clientSecret: 5 },
      { ...credentials, scope: undefined },
      { ...credentials, clientSecret: ['x'] },
    ]) {
      assert.equal((await exchange(body)).json['code'], 'VALIDATION_ERROR');
    }
  });

  it('an exchange that is answered has its audit row', async () => {
    const project = await stack.project();
    const { credentials, id } = await createKey(project);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => exchange(credentials, index % 2)));
    assert.ok(answers.every(({ status }) => status === 200));
    const admin = await stack.admin();
    const { rows } = await admin.query(
      `SELECT actor_id, scope_tenant, scope_id FROM keys.audit_log WHERE action = 'apiKey.exchanged' AND outcome = 'ok' AND target_id = $1`,
      [id],
    );
    await admin.end();
    assert.equal(rows.length, 40);
    assert.deepEqual(rows[0], { actor_id: project.userId, scope_tenant: project.scope.tenant, scope_id: project.scope.id });
  });

  it('an exchange whose audit row cannot be committed gives no token', async () => {
    const project = await stack.project();
    const { credentials, id } = await createKey(project);
    const admin = await stack.admin();
    await admin.query(`CREATE FUNCTION keys.refuse_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no audit'; END $$`);
    await admin.query(`CREATE CONSTRAINT TRIGGER refuse_audit AFTER INSERT ON keys.audit_log INITIALLY DEFERRED FOR EACH ROW
      WHEN (NEW.target_id = '${id}') EXECUTE FUNCTION keys.refuse_audit()`);
    const { status, data } = await exchange(credentials);
    assert.deepEqual([status, data['accessToken']], [500, undefined]);
    await admin.query('DROP TRIGGER refuse_audit ON keys.audit_log');
    const { rows } = await admin.query('SELECT last_used_at FROM keys.api_keys WHERE id = $1', [id]);
    assert.deepEqual(rows, [{ last_used_at: null }], 'its use is rolled back with it');
    assert.equal((await exchange(credentials)).status, 200);
    await admin.end();
  });

  it('an exchange sets lastUsedAt, at most once a minute', async () => {
    const project = await stack.project();
    const { credentials, id } = await createKey(project);
    const admin = await stack.admin();
    const row = async () => (await admin.query('SELECT last_used_at AS at, xmin FROM keys.api_keys WHERE id = $1', [id])).rows[0];
    await exchange(credentials);
    const first = await row();
    assert.ok(Math.abs(first.at.getTime() - Date.now()) < 60_000);
    await Promise.all(Array.from({ length: 10 }, () => exchange(credentials)));
    assert.deepEqual(await row(), first);
    await admin.query(`UPDATE keys.api_keys SET last_used_at = now() - interval '61 seconds' WHERE id = $1`, [id]);
    await exchange(credentials);
    assert.ok((await row()).at >= first.at);
    await admin.end();
  });
});
