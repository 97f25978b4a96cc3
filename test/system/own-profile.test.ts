/** A profile is one for all tenants: whoever could change somebody else's would change what conditions of other tenants see. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { inScope, type ScopeValue } from './client.ts';
import { openStack, type SystemStack } from './stack.ts';
import { addMember, createOrganization, createWorld, dataOf, type Person, signToken, type World } from './world.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const picture = { file: png, filename: 'a.png', contentType: 'image/png' };
const profileKey = 'errors.user.ownProfile';

const updateDocument = 'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { id name metadata } }';
const pictureDocument = 'mutation ($input: UploadUserPictureInput!) { uploadUserPicture(input: $input) { url } }';

let stack: SystemStack;
let world: World;
let admin: Person;
let member: Person;
before(async () => {
  stack = await openStack();
  world = await createWorld(stack);
  admin = await addMember(stack, world.owner, world.organization, 'Admin');
  member = await addMember(stack, world.owner, world.organization, 'Viewer');
});
after(() => stack.close());

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

describe('the profile of somebody with a sign-in of their own', () => {
  it('is not changed by the Owner or an Admin of one of their tenants, or the picture', async () => {
    const before = dataOf(await member.client.get('/api/me', member.token)).user;
    for (const by of [world.owner, admin]) {
      const scope = world.organization;
      assert.deepEqual(await update(by, scope, member.userId, { metadata: { clearance: 'top' } }), [profileKey, profileKey]);
      assert.deepEqual(await update(by, scope, member.userId, { name: 'Renamed' }), [profileKey, profileKey]);
      assert.deepEqual(await upload(by, scope, member.userId), [profileKey, profileKey]);
    }
    assert.deepEqual(dataOf(await member.client.get('/api/me', member.token)).user, before);
  });

  it('refuses before anything is changed, and says what to do', async () => {
    const input = { scope: world.organization, name: 'Renamed', roleIds: [], tagIds: [world.ids.Tag] };
    const german = { 'accept-language': 'de' };
    const answer = await admin.client.call('PATCH', `/api/users/${member.userId}`, { token: admin.token, body: input, headers: german });
    assert.deepEqual([answer.status, answer.body.code], [403, 'FORBIDDEN']);
    assert.match(answer.body.error, /selbst/);
    const query = inScope(world.organization, `ids=${member.userId}&relations=roles,tags`);
    const [seen] = dataOf(await admin.client.get(`/api/users?${query}`, admin.token)).items;
    assert.deepEqual([seen.roles.map(({ name }: { name: string }) => name), seen.tags], [['Viewer'], []]);
  });

  it('leaves roles and tags to whoever may give them', async () => {
    const answer = await admin.client.patch(
      `/api/users/${member.userId}`,
      { scope: world.organization, tagIds: [world.ids.Tag] },
      admin.token,
    );
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  });

  it('is one’s own to change, with a session and with nothing else', async () => {
    assert.deepEqual(await update(admin, world.organization, admin.userId, { name: 'Ada', metadata: { desk: 1 } }), [undefined, undefined]);
    assert.deepEqual(await upload(admin, world.organization, admin.userId), [undefined, undefined]);
    const apiKey = await signToken(stack, { type: 'apiKey', subject: admin.userId, project: world.project });
    const bearer = { client: admin.client, token: apiKey };
    for (const keys of [
      await update(bearer, world.project, admin.userId, { name: 'Key' }),
      await upload(bearer, world.project, admin.userId),
    ])
      assert.ok(
        keys.every((key) => key !== undefined),
        JSON.stringify(keys),
      );
  });
});

describe('the profile of somebody without a sign-in', () => {
  it('is changed in the scope that made them, and is not there in any other', async () => {
    const { owner, organization } = world;
    const { id } = dataOf(await owner.client.post('/api/users', { scope: organization, name: 'Directory' }, owner.token));
    assert.deepEqual(await update(owner, organization, id, { name: 'Renamed', metadata: { desk: 2 } }), [undefined, undefined]);
    assert.deepEqual(await upload(owner, organization, id), [undefined, undefined]);
    for (const elsewhere of [await createOrganization(owner, 'Other'), world.project]) {
      assert.deepEqual(await update(owner, elsewhere, id, { name: 'Again' }), ['errors.notFound', 'errors.notFound']);
      assert.deepEqual(await upload(owner, elsewhere, id), ['errors.notFound', 'errors.notFound']);
    }
  });
});
