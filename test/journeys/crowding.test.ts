/** One member's data must not prevent the others from reading theirs. */
import { describe, expect, test } from '@jest/globals';
import { inScope } from '../support/client.ts';
import { openStack } from '../support/shared-stack.ts';
import { addMember, createWorld, dataOf } from '../support/world.ts';

const stack = await openStack();
const world = await createWorld(stack);

describe('metadata', () => {
  const metadata = { a: 'x'.repeat(900_000) };

  test('as large as a whole body is refused wherever there is some, over both transports [spec:codes.2]', async () => {
    const { owner, organization, project } = world;
    const { client, token } = owner;
    for (const [path, scope] of [
      ['/api/users', organization],
      ['/api/roles', organization],
      ['/api/groups', project],
      ['/api/projects', organization],
      ['/api/organizations', owner.account],
    ] as const) {
      const { status, body } = await client.post(path, { scope, name: 'Large', metadata }, token);
      expect([status, body.code, body.extensions.field]).toStrictEqualFor(path, [400, 'VALIDATION_ERROR', 'metadata']);
    }
    const document = 'mutation ($input: UpdateMyUserInput!) { updateMyUser(input: $input) { email } }';
    const { body } = await client.graphql(document, { input: { metadata } }, token);
    expect(body.errors[0].extensions.field).toBe('metadata');
  });

  test('of many members leaves the list of members readable', async () => {
    const { owner, organization } = world;
    const large = { a: 'x'.repeat(65_000) };
    for (let at = 0; at < 30; at += 1)
      dataOf(await owner.client.post('/api/users', { scope: organization, name: `Large ${at}`, metadata: large }, owner.token));
    const viewer = await addMember(stack, owner, organization, 'Viewer');
    const { status } = await viewer.client.get(`/api/organization-members?${inScope(organization, 'limit=100')}`, viewer.token);
    expect(status).toBe(200);
  });
});
