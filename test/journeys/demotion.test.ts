/** A demoted member keeps no right of the higher role, not even through a key created before. */
import { expect, test } from '@jest/globals';
import { openStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';
import { addMember, builtInRole, createWorld, dataOf } from '../support/world.ts';

const stack = await openStack();
const world = await createWorld(stack);

test('a project’s key with the role of an Admin is worth nothing once its maker is a Viewer', async () => {
  const { owner, organization, project } = world;
  const admin = await addMember(stack, owner, organization, 'Admin');
  const roleId = await builtInRole(owner, organization, 'Admin');
  const key = dataOf(await admin.client.post('/api/api-keys', { scope: project, name: 'CI', roleId }, admin.token));
  const exchange = () => admin.client.post('/api/auth/token', { clientId: key.clientId, clientSecret: key.clientSecret, scope: project });
  const { accessToken } = dataOf(await exchange());
  const list = async () => (await admin.client.get(`/api/api-keys?scopeId=${project.id}&tenant=${project.tenant}`, accessToken)).status;
  expect(await list()).toBe(200);
  const of = await builtInRole(owner, organization, 'Viewer');
  dataOf(await owner.client.patch(`/api/organization-members/${admin.userId}`, { scope: organization, roleId: of }, owner.token));
  expect((await exchange()).status).toBe(401);
  // Nor is what it was exchanged for before.
  await until(async () => (await list()) === 401);
});
