import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { apiKeysOf, type Body, type Project } from '../../testing/api-keys.ts';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

const { addUser, create, createKey, exchange, list, remove, revoke } = apiKeysOf(() => stack);

async function tokenOf(credentials: Body): Promise<string> {
  const { status, data } = await exchange(credentials);
  expect(status).toBe(200);
  return String(data['accessToken']);
}

/** A key, one that was made with its token, and one that was made with that one's. */
async function makeLine(project: Project, body: Body = {}) {
  const parent = await createKey(project, body);
  const child = await createKey({ ...project, token: await tokenOf(parent.credentials) });
  const grandchild = await createKey({ ...project, token: await tokenOf(child.credentials) });
  return { parent, child, grandchild };
}

async function keysIn(project: Project) {
  const { data } = await list(project);
  return new Map((Array.isArray(data['items']) ? data['items'] : []).map((key) => [String(key.id), key]));
}

describe('a key that a key made', () => {
  test('keeps its parent and expires no later', async () => {
    const project = await stack.project();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { parent, child, grandchild } = await makeLine(project, { expiresAt });
    const keys = await keysIn(project);
    const shown = [parent, child, grandchild].map(({ id }) => keys.get(id));
    expect(shown.map((key) => [key?.parentKeyId, key?.expiresAt])).toStrictEqual([
      [null, expiresAt],
      [parent.id, expiresAt],
      [child.id, expiresAt],
    ]);
    const token = await tokenOf(parent.credentials);
    const later = await create({ ...project, token }, { expiresAt: new Date(Date.now() + 7_200_000).toISOString() });
    expect(later.data['expiresAt']).toBe(expiresAt);
  });

  const ends = {
    'is revoked': (project: Project, id: string) => revoke(project, id),
    'is deleted': (project: Project, id: string) => remove(project, id),
    'is erased': (project: Project, id: string) => remove(project, id, '&hardDelete=true'),
  };
  for (const [name, end] of Object.entries(ends)) {
    test(`ends when its parent ${name}, and so do its tokens`, async () => {
      const project = await stack.project();
      const { parent, child, grandchild } = await makeLine(project);
      const tokens = await Promise.all([child, grandchild].map(({ credentials }) => tokenOf(credentials)));
      expect((await end(project, parent.id)).status).toBe(200);
      for (const { credentials } of [parent, child, grandchild]) expect((await exchange(credentials)).status).toBe(401);
      for (const token of tokens) expect((await list({ ...project, token })).status).toBe(401);
    });
  }

  test('is refused when its parent has expired', async () => {
    const project = await stack.project();
    const { parent, child, grandchild } = await makeLine(project);
    const admin = await stack.database.connect();
    await admin.query('UPDATE keys.api_keys SET expires_at = now() WHERE id = $1', [parent.id]);
    await admin.end();
    for (const { credentials } of [child, grandchild]) expect((await exchange(credentials)).status).toBe(401);
  });

  test('is judged again at its exchange by the role of its parent, not by the rights of the person', async () => {
    const project = await stack.project();
    const { parent, child } = await makeLine(project);
    stack.peers.grants.length = 0;
    await new Promise((resolve) => setTimeout(resolve, 2_100)); // responses of rbac are at most two seconds old
    await exchange(child.credentials);
    const actors = stack.peers.grants.map(({ actor }) => [actor?.type, actor?.roleId, actor?.tokenId]);
    expect(actors).toContainEqual(['apiKey', project.roleId, parent.id]);
    expect(actors.some(([type]) => type === 'session')).toBe(true);
  });

  test('cannot be made by an app that acts for a user, or by a key that has ended meanwhile', async () => {
    const project = await stack.project();
    const { keys } = stack.client();
    const { token } = await keys.sign({
      scope: project.scope,
      type: 'apiKey',
      subject: project.userId,
      tokenId: newId(),
      audience: '',
      lifetimeSeconds: 900,
      claimsJson: JSON.stringify({ scope: project.userScope }),
    });
    keys.close();
    expect((await create({ ...project, token })).status).toBe(403);
    const { id, credentials } = await createKey(project);
    const ended = await tokenOf(credentials);
    await revoke(project, id);
    expect((await create({ ...project, token: ended })).status).toBe(401);
  });
});

test("'own' is for a key what it made itself", async () => {
  const project = await stack.project();
  const { parent, child, grandchild } = await makeLine(project);
  const other = await createKey(project);
  const token = await tokenOf(parent.credentials);
  const ownerSeen = async (id: string) => {
    stack.peers.checks.length = 0;
    await revoke({ ...project, token }, id);
    return stack.peers.checks.map(({ targetJson }) => JSON.parse(targetJson).createdBy);
  };
  expect(await ownerSeen(other.id)).toStrictEqual([null]);
  expect(await ownerSeen(grandchild.id)).toStrictEqual([child.id]);
  expect(await ownerSeen(child.id)).toStrictEqual([project.userId]);
});

test('a user key that another made ends when that person’s rights grow; the person’s own does not', async () => {
  const project = await stack.project();
  const target = addUser(project, 'allowed');
  const held = await createKey(project, { scope: target.scope, roleId: undefined });
  const token = await tokenOf(held.credentials);
  const own = await createKey(project, { scope: project.userScope, roleId: undefined });
  const made = await createKey(project);
  const { inbox } = stack.client(0, 'rbac');
  const event = { id: newId(), type: 'rights.grew', key: target.userId, occurredAt: new Date().toISOString() };
  const payload = { scope: { tenant: 'organization', id: project.parentId }, userIds: [target.userId, project.userId] };
  await inbox.deliver({ producer: 'rbac', events: [{ ...event, payloadJson: JSON.stringify(payload) }] });
  inbox.close();
  expect((await exchange(held.credentials)).status).toBe(401);
  expect((await list({ ...project, token })).status).toBe(401);
  for (const { credentials } of [own, made]) expect((await exchange(credentials)).status).toBe(200);
});
