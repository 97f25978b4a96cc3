import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { documentsIn } from '../../testing/documents.ts';
import { type Json, startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

const query = `query ($input: IsAuthorizedInput!) { isAuthorized(input: $input) { authorized reason
  explanation { moreRoles changes { kind permission role { name } } paths { holds permission { name } comparisons { path actual holds isUnmet isHidden } } } } }`;

/** A project with documents that their owner may change, and an editor. */
async function makeWorld() {
  const acme = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const documents = documentsIn(stack, project, acme.token);
  const resourceId = await documents.resource('Doc', ['Read', 'Write']);
  const isOwner = { And: [{ Equals: { 'resource.ownerId': '{{user.id}}' } }, { StringEquals: { 'member.metadata.team': 'blue' } }] };
  const roleId = await documents.role('Editor', resourceId, { Read: null, Write: isOwner });
  const editor = await stack.join(project, [roleId]);
  const admin = await acme.addMember('Admin');
  const ask = (token: string, body: object) =>
    stack.request('POST', '/api/auth/is-authorized', {
      token,
      body: { scope: project, permission: { resource: 'Doc', action: 'Write' }, ...body },
    });
  return { acme, project, documents, resourceId, roleId, editor, admin, adminToken: stack.token({ userId: admin }), ask };
}

function outcome({ status, data }: { status: number; data: Json }) {
  return [status, data['authorized'], data['reason']];
}

describe('asking about others', () => {
  test('needs Decision:Evaluate in the scope, and a refusal is the same for every subject', async () => {
    const { acme, project, editor, admin, ask } = await makeWorld();
    const owner = stack.token({ userId: acme.ownerId });
    for (const token of [owner, stack.token({ userId: admin })])
      expect(
        outcome(await ask(token, { subject: { type: 'user', id: editor }, permission: { resource: 'Doc', action: 'Read' } })),
      ).toStrictEqual([200, true, 'PERMISSION_GRANTED_NO_CONDITION']);
    const keyId = newId();
    stack.peers.apiKeys.push({ id: keyId, name: 'k', userId: admin, scopeId: project.id, isLive: true });
    const outsider = stack.token({ userId: newId() });
    const app = stack.token({ userId: editor, type: 'projectApp', project, scopes: ['Doc:Read'] });
    const bodies = new Set<string>();
    for (const token of [outsider, stack.token({ userId: await acme.addMember('Dev') }), stack.token({ userId: editor }), app])
      for (const subject of [
        { type: 'user', id: admin },
        { type: 'user', id: newId() },
        { type: 'apiKey', id: keyId },
        { type: 'apiKey', id: newId() },
        { type: 'app', id: newId() },
      ]) {
        const { status, text } = await ask(token, { subject });
        expect(status).toBe(403);
        bodies.add(text);
      }
    expect(bodies.size).toBe(1);
  });

  test('naming oneself needs no right and gives the answer of the token', async () => {
    const { project, editor, admin, ask } = await makeWorld();
    const reads = { permission: { resource: 'Doc', action: 'Read' } };
    const subject = { type: 'user', id: editor };
    expect(outcome(await ask(stack.token({ userId: editor }), { ...reads, subject }))).toStrictEqual([
      200,
      true,
      'PERMISSION_GRANTED_NO_CONDITION',
    ]);
    const lent = stack.token({ userId: editor, type: 'projectApp', project, scopes: [] });
    expect(outcome(await ask(lent, { ...reads, subject }))).toStrictEqual([200, false, 'SCOPE_NOT_GRANTED']);
    const keyId = newId();
    const key = stack.token({ userId: admin, type: 'apiKey', project, claims: { jti: keyId } });
    expect((await ask(key, { ...reads, subject: { type: 'apiKey', id: keyId } })).status).toBe(200);
  });

  test('a key that names itself by its id or as its person gets one answer; as an app it is refused', async () => {
    const { project, roleId, editor, ask } = await makeWorld();
    const keyId = newId();
    const key = stack.token({ userId: editor, type: 'apiKey', project, roleId, claims: { jti: keyId } });
    const answers = async (permission: object) =>
      Promise.all(
        [{ type: 'apiKey', id: keyId }, { type: 'user', id: editor }, undefined].map(async (subject) =>
          outcome(await ask(key, { permission, ...(subject === undefined ? {} : { subject }) })),
        ),
      );
    const granted = [200, true, 'PERMISSION_GRANTED_NO_CONDITION'];
    expect(await answers({ resource: 'Doc', action: 'Read' })).toStrictEqual([granted, granted, granted]);
    const none = [200, false, 'NO_MATCHING_PERMISSION_FOUND'];
    expect(await answers({ resource: 'Role', action: 'Create' })).toStrictEqual([none, none, none]);
    const reads = { permission: { resource: 'Doc', action: 'Read' } };
    expect((await ask(key, { ...reads, subject: { type: 'app', id: editor } })).status).toBe(403);
    const appId = newId();
    stack.peers.apps.push({ id: appId, name: 'machine', roleId, scopeId: project.id });
    const app = stack.token({ userId: appId, type: 'apiKey', project, roleId });
    expect(outcome(await ask(app, { ...reads, subject: { type: 'app', id: appId } }))).toStrictEqual(granted);
  });

  test('an API key and a machine app have the rights of their tokens; one that is not live, unknown or of another project has none', async () => {
    const { project, roleId, acme, admin, adminToken, ask } = await makeWorld();
    const other = await stack.makeProject(acme.scope);
    const reads = { permission: { resource: 'Doc', action: 'Read' } };
    const key = (more: object) => {
      const id = newId();
      stack.peers.apiKeys.push({ id, name: 'key', userId: admin, roleId, scopeId: project.id, isLive: true, ...more });
      return { type: 'apiKey', id };
    };
    const appId = newId();
    stack.peers.apps.push({ id: appId, name: 'machine', roleId, scopeId: project.id });
    for (const subject of [key({}), { type: 'app', id: appId }]) {
      expect(outcome(await ask(adminToken, { ...reads, subject }))).toStrictEqual([200, true, 'PERMISSION_GRANTED_NO_CONDITION']);
      expect(outcome(await ask(adminToken, { permission: { resource: 'Role', action: 'Create' }, subject }))).toStrictEqual([
        200,
        false,
        'NO_MATCHING_PERMISSION_FOUND',
      ]);
    }
    for (const subject of [
      key({ isLive: false }),
      key({ scopeId: other.id }),
      { type: 'apiKey', id: newId() },
      { type: 'app', id: newId() },
    ])
      expect(outcome(await ask(adminToken, { ...reads, subject }))).toStrictEqual([200, false, 'NO_MATCHING_PERMISSION_FOUND']);
  });

  test('keys with the same role have the metadata of their own makers, whoever asked before', async () => {
    const { project, acme, documents, resourceId, adminToken, ask } = await makeWorld();
    const isBlue = { StringEquals: { 'member.metadata.team': 'blue' } };
    const roleId = await documents.role('Blue', resourceId, { Read: isBlue });
    const makers = [await acme.addMember('Dev'), await acme.addMember('Dev')];
    const [blue = '', other = ''] = makers;
    const read = { permission: { resource: 'Doc', action: 'Read' } };
    await stack.clientOf(0).roles.setMemberMetadata({
      actor: { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] },
      scope: acme.scope,
      userId: blue,
      metadataJson: JSON.stringify({ team: 'blue' }),
    });
    const may = async (userId: string) => {
      const { data } = await ask(stack.token({ userId, type: 'apiKey', project, roleId }), read);
      return data['authorized'];
    };
    expect([await may(blue), await may(other), await may(blue)]).toStrictEqual([true, false, true]);
    expect(await Promise.all(makers.map(may))).toStrictEqual([true, false]);
    // A question about a person with the id of a role is none about the role.
    const named = { ...read, subject: { type: 'user', id: roleId } };
    expect(outcome(await ask(adminToken, named))).toStrictEqual([200, false, 'NO_MATCHING_PERMISSION_FOUND']);
    // Every entry of the project goes: now the question comes first.
    await stack.join(project, []);
    expect(outcome(await ask(adminToken, named))).toStrictEqual([200, false, 'NO_MATCHING_PERMISSION_FOUND']);
    expect(await may(blue)).toBe(true);
  });

  test('a batch about many subjects gives each its own answer, in order', async () => {
    const { project, editor, admin, adminToken } = await makeWorld();
    const people = [editor, admin, newId(), editor];
    const checks = people.map((id) => ({ permission: { resource: 'Doc', action: 'Read' }, subject: { type: 'user', id } }));
    const { data } = await stack.request('POST', '/api/auth/is-authorized/batch', { token: adminToken, body: { scope: project, checks } });
    expect(data['decisions']?.map(({ authorized }) => authorized)).toStrictEqual([true, false, false, true]);
    const refused = await stack.request('POST', '/api/auth/is-authorized/batch', {
      token: stack.token({ userId: editor }),
      body: { scope: project, checks },
    });
    expect(refused.status).toBe(403);
  });

  test('a refusal of the right is in the audit log', async () => {
    const { editor, admin, ask } = await makeWorld();
    await ask(stack.token({ userId: editor }), { subject: { type: 'user', id: admin } });
    const rows = await stack
      .openDatabase()
      .query(sql(`SELECT outcome FROM audit_log WHERE actor_id = $1 AND action = 'isAuthorized.refused'`), [editor]);
    expect(rows).toStrictEqual([{ outcome: 'refused' }]);
  });
});

describe('an explanation', () => {
  test('shows each path with each value compared, and what would have to change', async () => {
    const { project, editor, adminToken, ask } = await makeWorld();
    const context = { resource: { ownerId: 'someone else' } };
    const { data } = await ask(adminToken, { subject: { type: 'user', id: editor }, context, explain: true });
    expect(data['explanation']).toStrictEqual({
      refusedBy: 'subject',
      paths: [
        {
          permission: expect.objectContaining({ name: 'Editor Write', role: expect.objectContaining({ name: 'Editor' }) }),
          condition: expect.any(Object),
          holds: false,
          comparisons: [
            {
              operator: 'Equals',
              path: 'resource.ownerId',
              actual: 'someone else',
              expected: editor,
              holds: false,
              isUnmet: true,
              isHidden: false,
            },
            {
              operator: 'StringEquals',
              path: 'member.metadata.team',
              actual: null,
              expected: 'blue',
              holds: false,
              isUnmet: true,
              isHidden: false,
            },
          ],
        },
      ],
      changes: [{ kind: 'meetCondition', role: expect.objectContaining({ name: 'Editor' }), permission: 'Editor Write' }],
      moreRoles: 0,
    });
    const graphql = await stack.graphql(
      query,
      {
        input: {
          scope: project,
          permission: { resource: 'Doc', action: 'Write' },
          context,
          subject: { type: 'user', id: editor },
          explain: true,
        },
      },
      { token: adminToken },
    );
    expect(graphql.json['data']?.['isAuthorized']?.['explanation']?.['paths']?.map(({ holds }) => holds)).toStrictEqual([false]);
  });

  test('that would repeat a large value in each of many comparisons is refused', async () => {
    const { acme, project, documents, ask } = await makeWorld();
    const resourceId = await documents.resource('Huge', ['Read']);
    const Read = { Or: Array.from({ length: 100 }, (_, at) => ({ StringEquals: { 'resource.text': `${at}` } })) };
    const token = stack.token({ userId: await stack.join(project, [await documents.role('Reader', resourceId, { Read })]) });
    const permission = { resource: 'Huge', action: 'Read' };
    const large = { context: { resource: { text: 'x'.repeat(200_000) } } };
    expect(outcome(await ask(token, { permission, ...large }))).toStrictEqual([200, false, 'PERMISSION_FOUND_CONDITION_NOT_MET']);
    const refused = await ask(token, { permission, ...large, explain: true });
    expect([refused.status, refused.json['translationKey']]).toStrictEqual([400, 'errors.answerTooLarge']);
    const tried = { scope: project, condition: Read, example: { resource: large.context.resource } };
    expect((await stack.request('POST', '/api/auth/try-condition', { token: acme.token, body: tried })).status).toBe(400);
  });

  test('names the roles that would give it, or says that none does', async () => {
    const { admin, adminToken, ask } = await makeWorld();
    const give = await ask(adminToken, { subject: { type: 'user', id: admin }, explain: true });
    expect(give.data['explanation']?.['changes']).toStrictEqual([
      { kind: 'giveRole', role: expect.objectContaining({ name: 'Editor' }), permission: null },
    ]);
    const none = await ask(adminToken, { permission: { resource: 'Doc', action: 'Burn' }, explain: true });
    expect(none.data['explanation']?.['changes']).toStrictEqual([{ kind: 'makePermission', role: null, permission: 'Doc:Burn' }]);
    const builtIn = await ask(stack.token({ userId: newId() }), { permission: { resource: 'Role', action: 'Create' }, explain: true });
    // A stranger learns of no role.
    expect(builtIn.data['explanation']?.['changes']).toStrictEqual([{ kind: 'giveRole', role: null, permission: null }]);
  });

  test('hides the metadata of people from callers without User:Query', async () => {
    const { project, documents, editor, admin, ask } = await makeWorld();
    const [decision] =
      (
        await stack.request('GET', `/api/resources?scopeId=${project.id}&tenant=organizationProject&search=Decision`, {
          token: stack.token({ userId: admin }),
        })
      ).data['items']?.map(({ id }) => `${id}`) ?? [];
    const roleId = await documents.role('Asker', decision ?? '', { Evaluate: null });
    const key = stack.token({ userId: admin, type: 'apiKey', project, roleId });
    const { data } = await ask(key, { subject: { type: 'user', id: editor }, context: { resource: { ownerId: editor } }, explain: true });
    expect(
      data['explanation']?.['paths']?.map(({ comparisons }) => comparisons?.map(({ isHidden, actual }) => [isHidden, actual])),
    ).toStrictEqual([
      [
        [false, editor],
        [true, null],
      ],
    ]);
    expect(data['evaluatedContext']?.['member']).toStrictEqual({ metadata: {} });
  });
});

describe('conditions on the circumstances of a request', () => {
  const ipOf = { 'x-tessera-client-ip': '203.0.113.9' };
  const condition = (action: string) =>
    ({
      Office: { IpAddressIn: { 'context.ipAddress': '203.0.113.0/24' } },
      Strong: { StringEquals: { 'context.acr': 'aal2' } },
      Now: { TimeWithin: { 'context.time': { after: '2020-01-01T00:00:00Z' } } },
      Past: { TimeWithin: { 'context.time': { before: '2020-01-01T00:00:00Z' } } },
    })[action] ?? null;

  test('time, address and level are the server’s; what a caller says in their place never wins', async () => {
    const acme = await stack.makeOrganization();
    const project = await stack.makeProject(acme.scope);
    const documents = documentsIn(stack, project, acme.token);
    const actions = ['Office', 'Strong', 'Now', 'Past'];
    const resourceId = await documents.resource('Safe', actions);
    const roleId = await documents.role('Guard', resourceId, Object.fromEntries(actions.map((action) => [action, condition(action)])));
    const userId = await stack.join(project, [roleId]);
    const may = async (action: string, claims: object, headers: Record<string, string>, body: object = {}) => {
      const asked = { scope: project, permission: { resource: 'Safe', action }, ...body };
      return (await stack.request('POST', '/api/auth/is-authorized', { token: stack.token({ userId, claims }), headers, body: asked }))
        .data['authorized'];
    };
    const said = { context: { resource: { ipAddress: '203.0.113.9', acr: 'aal2', context: { ipAddress: '203.0.113.9', acr: 'aal2' } } } };
    expect(await may('Office', {}, ipOf)).toBe(true);
    expect(await may('Office', {}, { 'x-tessera-client-ip': '198.51.100.1' }, said)).toBe(false);
    expect(await may('Strong', { acr: 'aal2' }, ipOf)).toBe(true);
    expect(await may('Strong', { acr: 'aal1' }, ipOf, said)).toBe(false);
    expect(await may('Now', {}, ipOf)).toBe(true);
    expect(await may('Past', {}, ipOf)).toBe(false);
    // What is asked about others is not asked from their address, nor with their sign-in.
    const owner = { token: acme.token, headers: ipOf };
    const about = async (action: string) =>
      (
        await stack.request('POST', '/api/auth/is-authorized', {
          ...owner,
          body: { scope: project, permission: { resource: 'Safe', action }, subject: { type: 'user', id: userId }, explain: true },
        })
      ).data;
    expect((await about('Office'))['authorized']).toBe(false);
    expect((await about('Strong'))['authorized']).toBe(false);
    expect((await about('Now'))['authorized']).toBe(true);
    // Between services the address goes along.
    expect(await stack.check(userId, project, 'Safe:Office', { ipAddress: '203.0.113.1' })).toMatchObject({ authorized: true });
    expect(await stack.check(userId, project, 'Safe:Office')).toMatchObject({ authorized: false });
  });

  test('a write is judged by them as well, under its lock', async () => {
    const acme = await stack.makeOrganization();
    const project = await stack.makeProject(acme.scope);
    const documents = documentsIn(stack, project, acme.token);
    const { data } = await stack.request('GET', `/api/resources?scopeId=${project.id}&tenant=organizationProject&search=Tag`, {
      token: acme.token,
    });
    const [tag] = data['items']?.map(({ id }) => `${id}`) ?? [];
    const roleId = await documents.role('Tagger', tag ?? '', { Create: condition('Office') });
    const token = stack.token({ userId: await stack.join(project, [roleId]) });
    const make = (headers: Record<string, string>) =>
      stack.request('POST', '/api/tags', { token, headers, body: { scope: project, name: newId(), color: 'red' } });
    expect((await make(ipOf)).status).toBe(201);
    expect((await make({ 'x-tessera-client-ip': '198.51.100.1' })).status).toBe(403);
  });

  test('a trial evaluates a condition as a decision does, and refuses what a permission could not have', async () => {
    const acme = await stack.makeOrganization();
    const attempt = (condition: object | null, example: object) =>
      stack.request('POST', '/api/auth/try-condition', { token: acme.token, body: { scope: acme.scope, condition, example } });
    const inOffice = { IpAddressIn: { 'context.ipAddress': '10.0.0.0/8' } };
    expect((await attempt(inOffice, { context: { ipAddress: '10.1.2.3' } })).data).toStrictEqual({
      holds: true,
      comparisons: [
        {
          operator: 'IpAddressIn',
          path: 'context.ipAddress',
          actual: '10.1.2.3',
          expected: '10.0.0.0/8',
          holds: true,
          isUnmet: false,
          isHidden: false,
        },
      ],
    });
    expect(
      (await attempt({ Not: inOffice }, { context: { ipAddress: '10.1.2.3' } })).data['comparisons']?.map(({ isUnmet }) => isUnmet),
    ).toStrictEqual([true]);
    expect((await attempt(null, {})).data['holds']).toBe(true);
    expect((await attempt({ Matches: { 'resource.a': 1 } }, {})).status).toBe(400);
    const stranger = stack.token({ userId: newId() });
    const refused = await stack.request('POST', '/api/auth/try-condition', {
      token: stranger,
      body: { scope: acme.scope, condition: null, example: {} },
    });
    expect(refused.status).toBe(403);
  });
});
