/** A demoted member keeps no right of the higher role, not even through a key created before. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openStack, type SystemStack } from './stack.ts';
import { addMember, builtInRole, createWorld, dataOf, type World } from './world.ts';

let stack: SystemStack;
let world: World;
beforeAll(async () => {
  stack = await openStack();
  world = await createWorld(stack);
});
afterAll(() => stack.close());

test('a project’s key with the role of an Admin is worth nothing once its maker is a Viewer', async () => {
  const { owner, organization, project } = world;
  const admin = await addMember(stack, owner, organization, 'Admin');
  const roleId = await builtInRole(owner, organization, 'Admin');
  const key = dataOf(await admin.client.post('/api/api-keys', { scope: project, name: 'CI', roleId }, admin.token));
  const of = await builtInRole(owner, organization, 'Viewer');
  dataOf(await owner.client.patch(`/api/organization-members/${admin.userId}`, { scope: organization, roleId: of }, owner.token));
  const { status } = await admin.client.post('/api/auth/token', {
    clientId: key.clientId,
    clientSecret: key.clientSecret,
    scope: project,
  });
  expect(status).toBe(401);
});
