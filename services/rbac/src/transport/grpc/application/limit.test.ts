import { expect, test } from '@jest/globals';
import { createApplication } from '../../../testing/application.ts';
import { startTestStack } from '../../../testing/service.ts';
import { createCredentialLimit } from './limit.ts';

test('a credential gets exactly its checks in a minute, and others theirs', () => {
  let now = 0;
  const limit = createCredentialLimit(10, () => now);
  limit.take('a', 9);
  expect(() => limit.take('a', 2)).toThrow(expect.objectContaining({ kind: 'rate-limited', params: { seconds: 60 } }));
  limit.take('a', 1);
  now = 59_100;
  expect(() => limit.take('a', 1)).toThrow(expect.objectContaining({ params: { seconds: 1 } }));
  limit.take('b', 10);
  now = 60_000;
  limit.take('a', 10);
});

test('over its limit a credential gets RESOURCE_EXHAUSTED and the time to wait, alone', async () => {
  await using cleanup = new AsyncDisposableStack();
  const stack = await startTestStack({ env: { RBAC_CREDENTIAL_MAX_CHECKS: '10000' } });
  cleanup.defer(() => stack.stop());
  const application = createApplication(stack.apps[0]?.grpcAddress ?? '');
  cleanup.defer(() => application.close());
  const acme = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const key = () => stack.token({ userId: acme.ownerId, type: 'apiKey', project, roleId: acme.roleId('Viewer') });
  const [busy, calm] = [key(), key()];
  const check = { subject: { type: 'self' }, resource: 'Role', action: 'Query' };
  const checks = Array.from({ length: 1_000 }, () => check);
  for (let batch = 0; batch < 9; batch += 1) expect((await application.isAuthorizedMany(busy, { checks })).code).toBe('OK');
  // A check that reads the database counts as ten.
  for (let each = 0; each < 99; each += 1) expect((await application.isAuthorized(busy, { ...check, noCache: true })).code).toBe('OK');
  for (let each = 0; each < 10; each += 1) expect((await application.isAuthorized(busy, check)).code).toBe('OK');
  const refused = await application.isAuthorized(busy, check);
  expect(refused.code).toBe('RESOURCE_EXHAUSTED');
  expect(Number(refused.metadata?.get('retry-after')[0])).toBeGreaterThan(0);
  expect(Number(refused.metadata?.get('retry-after')[0])).toBeLessThanOrEqual(60);
  expect((await application.isAuthorized(calm, check)).code).toBe('OK');
});
