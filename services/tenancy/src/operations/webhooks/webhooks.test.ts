import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { call } from '../../testing/call.ts';
import { openTestService } from '../../testing/service.ts';
import { resealWebhooks } from '../../webhooks/jobs.ts';
import { createWebhookSecrets } from '../../webhooks/secrets.ts';

const service = await openTestService();
afterAll(() => service.close());

const hook = { url: 'https://hooks.example.com/in', eventTypes: ['role.created'] };

async function world() {
  const { owner, organizationId, scope } = await service.createOrganization();
  const create = (given: object = {}) => call(service, 'rest', 'createWebhook', { scope, ...hook, ...given }, owner.token);
  return { owner, organizationId, scope, create };
}

test('the secret is shown once', async () => {
  const { owner, scope, create } = await world();
  const { data } = await create();
  expect(data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const { data: page } = await call(service, 'rest', 'listWebhooks', { scope }, owner.token);
  const [{ secret: _, ...shown }] = [data];
  expect(page.items).toStrictEqual([shown]);
  const rows = await service.query(`SELECT detail, changes FROM audit_log WHERE action LIKE 'webhook.%'`);
  expect(JSON.stringify(rows)).not.toContain(String(data.secret));
});

test('parallel calls make twenty webhooks at most', async () => {
  const { owner, scope, create } = await world();
  const codes = (await Promise.all(Array.from({ length: 24 }, () => create()))).map(({ code }) => code);
  expect(codes.filter((code) => code === 'CONFLICT')).toHaveLength(4);
  const { data } = await call(service, 'rest', 'listWebhooks', { scope, limit: 100 }, owner.token);
  expect(data.totalCount).toBe(20);
});

test('a change names the version that it was made from', async () => {
  const { owner, scope, create } = await world();
  const { data } = await create();
  const patch = (ifMatch: string) =>
    service.app.inject({
      method: 'PATCH',
      url: `/api/webhooks/${data.id}`,
      headers: { authorization: `Bearer ${owner.token}`, 'if-match': ifMatch },
      payload: { scope, description: 'Changed' },
    });
  const first = await patch(`"${data.updatedAt}"`);
  expect([first.statusCode, first.headers.etag]).toStrictEqual([200, `"${first.json().data.updatedAt}"`]);
  expect((await patch(`"${data.updatedAt}"`)).statusCode).toBe(412);
});

test('a webhook of a project is not one of its organization, and of no other project', async () => {
  const { owner, organizationId, scope } = await world();
  const projects = await Promise.all(
    ['One', 'Two'].map((name) => call(service, 'rest', 'createProject', { scope, name }, owner.token).then(({ data }) => data.id)),
  );
  const [one, two] = projects.map((id) => ({ tenant: 'organizationProject', id: `${organizationId}:${id}` }));
  const { data } = await call(service, 'rest', 'createWebhook', { scope: one, ...hook }, owner.token);
  for (const other of [scope, two]) {
    expect((await call(service, 'rest', 'listWebhooks', { scope: other }, owner.token)).data).toMatchObject({ totalCount: 0 });
    for (const name of ['updateWebhook', 'deleteWebhook', 'testWebhook', 'createWebhookSecret', 'listWebhookDeliveries'])
      expect((await call(service, 'rest', name, { scope: other, id: data.id }, owner.token)).code).toBe('NOT_FOUND');
  }
});

test.each([
  ['http://10.0.0.1/', 'url'],
  ['https://10.0.0.1/', 'url'],
  ['https://[::ffff:127.0.0.1]/', 'url'],
  ['https://localhost/', 'url'],
  ['https://example.com/#part', 'url'],
  ['not an address', 'url'],
  [`https://example.com/${'x'.repeat(2_048)}`, 'url'],
])('%s is no target where private addresses are refused', async (url, field) => {
  const { owner, scope } = await world();
  const { webhooks } = service.deps;
  Object.assign(service.deps, { webhooks: { ...webhooks, allowPrivate: false } });
  const answer = await call(service, 'rest', 'createWebhook', { scope, ...hook, url }, owner.token);
  Object.assign(service.deps, { webhooks });
  expect([answer.code, answer.field]).toStrictEqual(['VALIDATION_ERROR', field]);
});

test('after a rotation of WEBHOOK_SECRETS the secrets are sealed under the first value', async () => {
  const { create } = await world();
  const { data } = await create();
  const before = 'a secret of webhooks for tests only';
  const rotated = createWebhookSecrets(`the next secret of webhooks for tests, ${before}`);
  expect((await service.database.transaction((tx) => resealWebhooks(tx, rotated))).unreadable).toBe(0);
  const [row] = await service.query<{ secret: Buffer; sealedWith: string }>(
    'SELECT secret, sealed_with AS "sealedWith" FROM webhooks WHERE id = $1',
    [data.id],
  );
  const alone = createWebhookSecrets('the next secret of webhooks for tests');
  expect(row && alone.open(String(data.id), row)).toBe(data.secret);
  expect(() => row && alone.open(newId(), row)).toThrow();
});
