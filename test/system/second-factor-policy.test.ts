/** An organization that demands a second factor, switched on while people work. */
import { expect, test } from '@jest/globals';
import { generateSync } from 'otplib';
import { inScope } from './client.ts';
import { openStack } from './stack.ts';
import { addMember, createWorld, dataOf } from './world.ts';

const stack = await openStack();

test('a policy holds from the next request on, in the organization and its projects, in REST, GraphQL and decisions', async () => {
  const { owner, organization, project } = await createWorld(stack);
  const member = await addMember(stack, owner, organization, 'Dev');
  const list = (scope: typeof project) => member.client.get(`/api/roles?${inScope(scope)}`, member.token);
  expect((await list(organization)).status).toBe(200);
  const security = { requireSecondFactor: true };
  const early = await owner.client.patch(`/api/organizations/${organization.id}`, { scope: organization, security }, owner.token);
  expect([early.status, early.body.code]).toStrictEqual([403, 'SECOND_FACTOR_REQUIRED']);

  const { factor, secret } = dataOf(await owner.client.post('/api/me/second-factors/totp', {}, owner.token));
  const code = generateSync({ secret });
  dataOf(await owner.client.post(`/api/me/second-factors/${factor.id}/confirm`, { code }, owner.token));
  const { accessToken } = dataOf(await owner.client.post('/api/auth/refresh', { refreshToken: owner.refreshToken }));
  const set = await owner.client.patch(`/api/organizations/${organization.id}`, { scope: organization, security }, accessToken);
  expect(dataOf(set).security).toStrictEqual({ requireSecondFactor: true, maxSessionAgeMinutes: null });

  for (const scope of [organization, project]) {
    const refused = await list(scope);
    expect([refused.status, refused.body.code]).toStrictEqual([403, 'SECOND_FACTOR_REQUIRED']);
  }
  const query = 'query($input: RolesInput!) { roles(input: $input) { totalCount } }';
  const graph = await member.client.graphql(query, { input: { scope: organization } }, member.token);
  expect(graph.body.errors[0].extensions.code).toBe('SECOND_FACTOR_REQUIRED');
  const question = { permission: { resource: 'Role', action: 'Query' }, scope: organization };
  const decision = dataOf(await member.client.post('/api/auth/is-authorized', question, member.token));
  expect([decision.authorized, decision.reason]).toStrictEqual([false, 'SECOND_FACTOR_REQUIRED']);
  expect((await owner.client.get(`/api/roles?${inScope(project)}`, accessToken)).status).toBe(200);
});
