/** Only a caller with all permissions of an app's users may change its redirect URIs. */
import { describe, expect, test } from '@jest/globals';
import { openStack } from '../support/shared-stack.ts';
import { addMember, createWorld, dataOf, type Person } from '../support/world.ts';

const redirectUris = ['https://app.example.com/callback'];
const stolen = { redirectUris: ['https://thief.example.com/callback'] };
const document = 'mutation ($input: UpdateProjectAppInput!) { updateProjectApp(input: $input) { id redirectUris scopes } }';

const stack = await openStack();
const world = await createWorld(stack);
const [dev, admin] = [
  await addMember(stack, world.owner, world.organization, 'Dev'),
  await addMember(stack, world.owner, world.organization, 'Admin'),
];

async function createApp(by: Person, more: object = {}): Promise<string> {
  return dataOf(await by.client.post('/api/project-apps', { scope: world.project, name: 'App', redirectUris, ...more }, by.token)).id;
}

/** 200 or the code of the refusal, over both transports. */
async function change(by: Person, id: string, wish: object): Promise<unknown[]> {
  const rest = await by.client.patch(`/api/project-apps/${id}`, { scope: world.project, ...wish }, by.token);
  const graphql = await by.client.graphql(document, { input: { scope: world.project, id, ...wish } }, by.token);
  return [rest.body.code ?? rest.status, graphql.body.errors?.[0]?.extensions?.code ?? graphql.status];
}

describe('an app', () => {
  test('of an Owner, without a cap: a Dev can’t send its tokens elsewhere', async () => {
    const id = await createApp(world.owner);
    expect(await change(dev, id, stolen)).toStrictEqual(['FORBIDDEN', 'FORBIDDEN']);
    expect(await change(dev, id, { name: 'Renamed' })).toStrictEqual([200, 200]);
    // Nor an Admin.
    expect(await change(admin, id, stolen)).toStrictEqual(['FORBIDDEN', 'FORBIDDEN']);
    expect(await change(world.owner, id, { redirectUris: ['https://new.example.com/'] })).toStrictEqual([200, 200]);
  });

  test('with scopes that a Dev does not hold: a Dev can’t send its tokens elsewhere, nor take the cap away', async () => {
    const id = await createApp(world.owner, { scopes: ['User:ExportData', 'Project:Query'] });
    expect(await change(dev, id, stolen)).toStrictEqual(['FORBIDDEN', 'FORBIDDEN']);
    expect(await change(dev, id, { scopes: [] })).toStrictEqual(['FORBIDDEN', 'FORBIDDEN']);
    // With a smaller cap it is theirs to do.
    expect(await change(dev, id, { ...stolen, scopes: ['Project:Query'] })).toStrictEqual([200, 200]);
  });

  test('of a Dev is changed by the Dev and by those above', async () => {
    const id = await createApp(dev);
    for (const by of [dev, admin, world.owner]) expect(await change(by, id, stolen)).toStrictEqual([200, 200]);
  });
});
