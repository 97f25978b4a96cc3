/** A profile is shared by all tenants, so no tenant may change another user's profile. */
import { describe, expect, test } from '@jest/globals';
import { inScope, type ScopeValue } from '../support/client.ts';
import { openStack } from '../support/shared-stack.ts';
import { addMember, createOrganization, createWorld, dataOf, type Person, signToken } from '../support/world.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const picture = { file: png, filename: 'a.png', contentType: 'image/png' };
const profileKey = 'errors.user.ownProfile';

const updateDocument = 'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { id name metadata } }';
const pictureDocument = 'mutation ($input: UploadUserPictureInput!) { uploadUserPicture(input: $input) { url } }';

const stack = await openStack();
const world = await createWorld(stack);
const admin = await addMember(stack, world.owner, world.organization, 'Admin');
const member = await addMember(stack, world.owner, world.organization, 'Viewer');

/** The translation key of the refusal over both transports; undefined where it was allowed. */
async function update(by: { client: Person['client']; token: string }, scope: ScopeValue, id: string, change: object) {
  const rest = await by.client.patch(`/api/users/${id}`, { scope, ...change }, by.token);
  const graphql = await by.client.graphql(updateDocument, { input: { scope, id, ...change } }, by.token);
  return [rest.body.translationKey, graphql.body.errors?.[0]?.extensions?.translationKey];
}
async function upload(by: { client: Person['client']; token: string }, scope: ScopeValue, id: string) {
  const rest = await by.client.post(`/api/users/${id}/picture`, { scope, ...picture }, by.token);
  const graphql = await by.client.graphql(pictureDocument, { input: { scope, id, ...picture } }, by.token);
  return [rest.body.translationKey, graphql.body.errors?.[0]?.extensions?.translationKey];
}

describe('the profile of a user who can sign in', () => {
  test('is not changed by the Owner or an Admin of one of their tenants, or the picture', async () => {
    const before = dataOf(await member.client.get('/api/me', member.token)).user;
    for (const by of [world.owner, admin]) {
      const scope = world.organization;
      expect(await update(by, scope, member.userId, { metadata: { clearance: 'top' } })).toStrictEqual([profileKey, profileKey]);
      expect(await update(by, scope, member.userId, { name: 'Renamed' })).toStrictEqual([profileKey, profileKey]);
      expect(await upload(by, scope, member.userId)).toStrictEqual([profileKey, profileKey]);
    }
    expect(dataOf(await member.client.get('/api/me', member.token)).user).toStrictEqual(before);
  });

  test('refuses before anything is changed, and says what to do', async () => {
    const input = { scope: world.organization, name: 'Renamed', roleIds: [], tagIds: [world.ids.Tag] };
    const german = { 'accept-language': 'de' };
    const answer = await admin.client.call('PATCH', `/api/users/${member.userId}`, { token: admin.token, body: input, headers: german });
    expect([answer.status, answer.body.code]).toStrictEqual([403, 'FORBIDDEN']);
    expect(answer.body.error).toMatch(/selbst/);
    const query = inScope(world.organization, `ids=${member.userId}&relations=roles,tags`);
    const [seen] = dataOf(await admin.client.get(`/api/users?${query}`, admin.token)).items;
    expect([seen.roles.map(({ name }: { name: string }) => name), seen.tags]).toStrictEqual([['Viewer'], []]);
  });

  test('takes roles and tags from an administrator', async () => {
    const answer = await admin.client.patch(
      `/api/users/${member.userId}`,
      { scope: world.organization, tagIds: [world.ids.Tag] },
      admin.token,
    );
    expect(answer.status).toStrictEqualFor(answer.body, 200);
  });

  test('is one’s own to change, with a session and with nothing else', async () => {
    expect(await update(admin, world.organization, admin.userId, { name: 'Ada', metadata: { desk: 1 } })).toStrictEqual([
      undefined,
      undefined,
    ]);
    expect(await upload(admin, world.organization, admin.userId)).toStrictEqual([undefined, undefined]);
    const apiKey = await signToken(stack, { type: 'apiKey', subject: admin.userId, project: world.project });
    const bearer = { client: admin.client, token: apiKey };
    for (const keys of [
      await update(bearer, world.project, admin.userId, { name: 'Key' }),
      await upload(bearer, world.project, admin.userId),
    ])
      expect(keys.every((key) => key !== undefined)).toStrictEqualFor(keys, true);
  });
});

describe('the profile of a user who cannot sign in', () => {
  test('is changed in the scope that made them, and in no other', async () => {
    const { owner, organization } = world;
    const { id } = dataOf(await owner.client.post('/api/users', { scope: organization, name: 'Directory' }, owner.token));
    expect(await update(owner, organization, id, { name: 'Renamed', metadata: { desk: 2 } })).toStrictEqual([undefined, undefined]);
    expect(await upload(owner, organization, id)).toStrictEqual([undefined, undefined]);
    // Members belong to the projects of their organization too, but were not made there.
    for (const [elsewhere, key] of [
      [await createOrganization(owner, 'Other'), 'errors.notFound'],
      [world.project, 'errors.user.homeProfile'],
    ] as const) {
      expect(await update(owner, elsewhere, id, { name: 'Again' })).toStrictEqual([key, key]);
      expect(await upload(owner, elsewhere, id)).toStrictEqual([key, key]);
    }
  });
});

test('a name is as long as readers count it, over REST and GraphQL and in every database', async () => {
  const person = await addMember(stack, world.owner, world.organization, 'Viewer');
  const { client, token } = person;
  const rename = async (name: string) => {
    const document = 'mutation ($input: UpdateMyUserInput!) { updateMyUser(input: $input) { user { name } } }';
    const [rest, graphql] = [await client.patch('/api/me', { name }, token), await client.graphql(document, { input: { name } }, token)];
    return [rest.body.extensions?.reason ?? rest.body.data.user.name, graphql.body.errors?.[0]?.extensions?.reason];
  };
  // 66 syllables of four code points and 792 bytes, and the largest 200 letters that there are.
  for (const name of ['क्षि'.repeat(66), '𝔸'.repeat(200)]) {
    expect(await rename(name)).toStrictEqual([name, undefined]);
    const query = inScope(world.organization, `ids=${person.userId}`);
    const { items } = dataOf(await world.owner.client.get(`/api/users?${query}`, world.owner.token));
    expect(items[0].name).toBe(name);
  }
  const limit = 'must not have more than 200 characters, or 800 bytes in UTF-8';
  for (const name of ['क्षि'.repeat(67), 'x'.repeat(201)]) expect(await rename(name)).toStrictEqual([limit, limit]);
});
