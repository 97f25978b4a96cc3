/** What an app may do for a person: person ∩ app ∩ grant (docs/decisions/026), at every door. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { createApplication } from '../../testing/application.ts';
import { documentsIn } from '../../testing/documents.ts';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
let application: ReturnType<typeof createApplication>;
beforeAll(async () => {
  stack = await startTestStack();
  application = createApplication(stack.apps[0]?.grpcAddress ?? '');
});
afterAll(async () => {
  application.close();
  await stack.stop();
});

/** Each combination: may the person (p), who acts (a), and the scopes (s)? */
const combinations = Array.from({ length: 8 }, (_, bits) => ({
  action: `do${bits}`,
  person: (bits & 1) > 0,
  actor: (bits & 2) > 0,
  scopes: (bits & 4) > 0,
}));
type Combination = (typeof combinations)[number];
const named = (part: 'person' | 'actor' | 'scopes') => combinations.flatMap((one) => (one[part] ? [one.action] : []));

async function makeWorld() {
  const acme = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const documents = documentsIn(stack, project, acme.token);
  const doc = await documents.resource(
    'Doc',
    combinations.map(({ action }) => action),
  );
  const allOf = (actions: readonly string[]) => Object.fromEntries(actions.map((action) => [action, null]));
  const personRole = await documents.role('person', doc, allOf(named('person')));
  const actorRole = await documents.role('actor', doc, allOf(named('actor')));
  const userId = await stack.join(project, [personRole]);
  const helper = await stack.join(project, [actorRole]);
  const evaluator = stack.token({ userId: await acme.addMember('Admin'), type: 'apiKey', project, roleId: acme.roleId('Admin') });
  const ids = { machine: newId(), web: newId(), key: newId() };
  const scopes = named('scopes').map((action) => `Doc:${action}`);
  stack.peers.acting.push(
    { id: ids.machine, clientId: 'app_machine', roleId: actorRole, projectScopeId: project.id, isCapped: false, scopes: [] },
    { id: ids.web, clientId: 'app_web', projectScopeId: project.id, isCapped: true, scopes },
  );
  stack.peers.apiKeys.push({ id: ids.key, name: 'k', userId: helper, roleId: actorRole, scopeId: project.id, isLive: true });
  const act = { sub: ids.machine, client_id: 'app_machine', role_id: actorRole };
  const exchanged = (claims: object = { act }) => stack.token({ userId, type: 'projectApp', project, scopes, claims });
  return { acme, project, documents, doc, userId, helper, evaluator, ids, actorRole, exchanged };
}
type World = Awaited<ReturnType<typeof makeWorld>>;

/** Who acts, in which way it is said, and what then counts. */
const parties: readonly (readonly [string, (world: World) => object, readonly ('actor' | 'scopes')[]])[] = [
  ['a machine app', ({ ids }) => ({ type: 'app', id: ids.machine }), ['actor']],
  ['a web app', ({ ids }) => ({ type: 'app', id: ids.web }), ['scopes']],
  ['an API key', ({ ids }) => ({ type: 'apiKey', id: ids.key }), ['actor']],
  ['another person', ({ helper }) => ({ type: 'user', id: helper }), ['actor']],
];
const permission = ({ action }: Combination) => ({ resource: 'Doc', action });
const expected = (one: Combination, counts: readonly ('actor' | 'scopes')[]) => one.person && counts.every((part) => one[part]);

describe('the intersection', () => {
  test.each(parties)('%s that is named: allowed is what both may, through every door', async (_who, actorOf, counts) => {
    const world = await makeWorld();
    const { userId, evaluator, project } = world;
    const actor = actorOf(world);
    const subject = { type: 'user', id: userId };
    const wanted = combinations.map((one) => expected(one, counts));
    const ask = (path: string, body: object) => stack.request('POST', path, { token: evaluator, body });

    const single = await Promise.all(
      combinations.map(
        async (one) => (await ask('/api/auth/is-authorized', { subject, actor, permission: permission(one) })).data.authorized,
      ),
    );
    expect(single).toStrictEqual(wanted);
    const checks = combinations.map((one) => ({ permission: permission(one) }));
    const batch = await ask('/api/auth/is-authorized/batch', { subject, actor, checks });
    expect(batch.data.decisions?.map(({ authorized }) => authorized)).toStrictEqual(wanted);
    const listed = await ask('/api/auth/search/actions', { subject, actor, resource: 'Doc' });
    const allowed = combinations.filter((one) => expected(one, counts)).map(({ action }) => action);
    expect(
      listed.data.items?.map((item) => item).flatMap(({ action, authorized }) => (`${authorized}` === 'true' ? [action] : [])),
    ).toStrictEqual(allowed);
    for (const one of combinations) {
      const body = { scope: project, subjectType: 'user', actor, permission: permission(one) };
      const people = (await ask('/api/auth/search/subjects', body)).data.items?.map(({ id }) => id) ?? [];
      expect(people.includes(userId as never)).toStrictEqualFor([one, counts], expected(one, counts));
    }

    const wire = await Promise.all(
      combinations.map((one) => application.isAuthorized(evaluator, { ...permission(one), subject: { type: 'user', userId }, actor })),
    );
    expect(wire.map(({ authorized }) => authorized)).toStrictEqualFor(wire, wanted);
    const evaluations = combinations.map(({ action }) => ({ action: { name: action } }));
    const authzen = await stack.request('POST', '/access/v1/evaluations', {
      token: evaluator,
      body: { subject, actor, resource: { type: 'Doc', id: 'x' }, evaluations },
    });
    expect(authzen.json['evaluations']?.map(({ decision }) => decision)).toStrictEqualFor(authzen.json, wanted);
  });

  test('a token by exchange carries its actor: its scopes, the role of the app and the person all count', async () => {
    const { exchanged, evaluator } = await makeWorld();
    const token = exchanged();
    const wanted = combinations.map((one) => expected(one, ['actor', 'scopes']));
    const answers = await Promise.all(
      combinations.map((one) =>
        stack.request('POST', '/api/auth/is-authorized', { token, body: { permission: permission(one), explain: true } }),
      ),
    );
    expect(answers.map(({ data }) => data.authorized)).toStrictEqual(wanted);
    const refusers = combinations.map(({ person, actor, scopes }) => (!person ? 'subject' : !actor ? 'actor' : !scopes ? 'app' : null));
    expect(answers.map(({ data }) => data.explanation?.refusedBy)).toStrictEqual(refusers);
    const allowed = combinations.filter((one) => expected(one, ['actor', 'scopes'])).map(({ action }) => action);
    const listed = await stack.request('GET', '/api/auth/permissions', { token });
    expect(listed.data.permissions?.map(({ action }) => action)).toStrictEqual(allowed);
    const asked = await application.isAuthorizedMany(evaluator, { checks: combinations.map(permission), userToken: token, explain: true });
    expect(asked.decisions?.map(({ authorized }) => authorized)).toStrictEqualFor(asked, wanted);
    expect(asked.decisions?.map(({ refusedBy = null }) => refusedBy)).toStrictEqual(refusers);
    const own = await application.listPermissions(evaluator, { userToken: token });
    expect(own.permissions?.map(({ action }) => action)).toStrictEqual(allowed);
  });

  test('each app of a chain counts', async () => {
    const { exchanged, documents, doc, ids, actorRole } = await makeWorld();
    const narrow = await documents.role('narrow', doc, { do7: null });
    const act = {
      sub: newId(),
      client_id: 'app_outer',
      role_id: actorRole,
      act: { sub: ids.machine, client_id: 'app_m', role_id: narrow },
    };
    const token = exchanged({ act });
    const ask = async (action: string) =>
      (await stack.request('POST', '/api/auth/is-authorized', { token, body: { permission: { resource: 'Doc', action } } })).data;
    expect([(await ask('do7')).authorized]).toStrictEqual([true]);
    const allowedByAllOthers = combinations.find((one) => one.person && one.actor && one.scopes);
    expect(allowedByAllOthers?.action).toBe('do7');
    const wider = exchanged({ act: { ...act, act: { ...act.act, role_id: newId() } } });
    const refused = await stack.request('POST', '/api/auth/is-authorized', {
      token: wider,
      body: { permission: { resource: 'Doc', action: 'do7' } },
    });
    expect(refused.data.authorized).toBe(false);
  });
});

describe('consents', () => {
  test('whom a web app may act for is who allows it by their consent, or was never asked, at every door of the search', async () => {
    const { project, documents, doc, evaluator, ids } = await makeWorld();
    const role = await documents.role('consenting', doc, { do7: null });
    const [allowing, refusing, unasked] = [
      await stack.join(project, [role]),
      await stack.join(project, [role]),
      await stack.join(project, [role]),
    ];
    stack.peers.consents.push(
      { userId: allowing, appId: ids.web, scopes: ['openid', 'Doc:do7'] },
      { userId: refusing, appId: ids.web, scopes: ['openid', 'Doc:do5'] },
      { userId: unasked, appId: newId(), scopes: [] },
    );
    const permission = { resource: 'Doc', action: 'do7' };
    const known = [allowing, refusing, unasked];
    const ask = (path: string, body: object) => stack.request('POST', path, { token: evaluator, body });
    const actor = { type: 'app', id: ids.web };

    const single = await Promise.all(
      known.map(async (id) => (await ask('/api/auth/is-authorized', { subject: { type: 'user', id }, actor, permission })).data.authorized),
    );
    expect(single).toStrictEqual([true, false, true]);
    const search = { scope: project, subjectType: 'user', permission };
    const found = async (more: object) =>
      (await ask('/api/auth/search/subjects', { ...search, ...more })).data.items?.map(({ id }) => `${id}`) ?? [];
    expect((await found({})).filter((id) => known.includes(id)).toSorted()).toStrictEqual(known.toSorted());
    const asked = stack.peers.calls.filterConsenting;
    const all = await found({ actor });
    expect(all.filter((id) => known.includes(id)).toSorted()).toStrictEqual([allowing, unasked].toSorted());
    // One question for a page, however many people there are.
    expect(stack.peers.calls.filterConsenting - asked).toBe(1);
    const wire = await application.findSubjects(evaluator, { ...permission, type: 'user', scope: project, actor });
    expect(wire.ids).toStrictEqualFor(wire, all);
    const authzen = await stack.request('POST', '/access/v1/search/subject', {
      token: evaluator,
      body: { subject: { type: 'user' }, actor, action: { name: 'do7' }, resource: { type: 'Doc', id: 'x' }, context: { scope: project } },
    });
    expect(authzen.json['results']?.map(({ id }) => `${id}`)).toStrictEqualFor(authzen.json, all);

    const paged: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { data } = await ask('/api/auth/search/subjects', { ...search, actor, limit: 1, ...(cursor && { cursor }) });
      paged.push(...(data.items?.map(({ id }) => `${id}`) ?? []));
      cursor = typeof data.nextCursor === 'string' ? data.nextCursor : null;
    }
    expect(paged).toStrictEqual(all);

    // A machine app has its role, and needs no consent; it does nothing for who has ended it.
    stack.peers.consents.push({ userId: allowing, appId: ids.machine, scopes: [] });
    expect(await found({ actor: { type: 'app', id: ids.machine } })).toContain(allowing);
    stack.peers.ended.push({ userId: allowing, appId: ids.machine });
    const left = await found({ actor: { type: 'app', id: ids.machine } });
    expect([left.includes(allowing), left.includes(refusing)]).toStrictEqual([false, true]);
    const named = { subject: { type: 'user', id: allowing }, actor: { type: 'app', id: ids.machine }, permission, explain: true };
    const { data } = await ask('/api/auth/is-authorized', named);
    expect(data).toMatchObject({ authorized: false, explanation: { refusedBy: 'actor' } });
  });
});

describe('an actor', () => {
  test('that is unknown may do nothing, and naming one takes Decision:Evaluate', async () => {
    const { userId, evaluator, acme, project, ids } = await makeWorld();
    const subject = { type: 'user', id: userId };
    const asked = { permission: { resource: 'Doc', action: 'do7' } };
    for (const type of ['app', 'apiKey', 'user', 'serviceAccount']) {
      const { data } = await stack.request('POST', '/api/auth/is-authorized', {
        token: evaluator,
        body: { ...asked, subject, actor: { type, id: newId() }, explain: true },
      });
      expect([data.authorized, data.explanation?.refusedBy]).toStrictEqualFor(type, [false, 'actor']);
    }
    const viewer = stack.token({ userId: await acme.addMember('Viewer'), type: 'apiKey', project, roleId: acme.roleId('Viewer') });
    const actor = { type: 'app', id: ids.web };
    for (const body of [
      { ...asked, actor },
      { ...asked, subject, actor },
    ])
      expect((await stack.request('POST', '/api/auth/is-authorized', { token: viewer, body })).status).toBe(403);
    expect(await application.isAuthorized(viewer, { ...asked.permission, subject: { type: 'self' }, actor })).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const forged = { ...actor, roleId: acme.roleId('Owner') };
    expect(await application.isAuthorized(evaluator, { ...asked.permission, subject: { type: 'self' }, actor: forged })).toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  test('is what conditions read as actor.type, actor.id and actor.clientId; without one they have no value', async () => {
    const { documents, doc, project, evaluator, ids, actorRole } = await makeWorld();
    const conditions = { do0: { Equals: { 'actor.clientId': 'app_web' } }, do1: { Not: { Equals: { 'actor.type': 'app' } } } };
    const role = await documents.role('conditional', doc, conditions);
    const userId = await stack.join(project, [role]);
    const scopes = ['Doc:do0', 'Doc:do1'];
    stack.peers.acting.push({ id: newId(), clientId: 'app_web', projectScopeId: project.id, isCapped: true, scopes });
    const web = { type: 'app', id: stack.peers.acting.at(-1)?.id };
    const ask = async (action: string, actor?: object) => {
      const body = { subject: { type: 'user', id: userId }, permission: { resource: 'Doc', action }, ...(actor && { actor }) };
      return (await stack.request('POST', '/api/auth/is-authorized', { token: evaluator, body })).data;
    };
    expect((await ask('do0', web)).authorized).toBe(true);
    expect((await ask('do0', web)).evaluatedContext?.actor).toStrictEqual({ ...web, clientId: 'app_web' });
    expect((await ask('do0')).authorized).toBe(false);
    expect((await ask('do1')).authorized).toBe(true);
    expect((await ask('do1', web)).authorized).toBe(false);
    const act = { sub: ids.machine, client_id: 'app_web', role_id: actorRole };
    const token = stack.token({ userId, type: 'projectApp', project, scopes: ['Doc:do0', 'Doc:do1'], claims: { act } });
    const { data } = await stack.request('POST', '/api/auth/is-authorized', {
      token,
      body: { permission: { resource: 'Doc', action: 'do0' }, explain: true },
    });
    expect([data.authorized, data.explanation?.refusedBy]).toStrictEqual([false, 'actor']);
    const tried = await stack.request('POST', '/api/auth/try-condition', {
      token: evaluator,
      body: { scope: project, condition: conditions.do0, example: { actor: { clientId: 'app_web' } } },
    });
    expect(tried.data.holds).toBe(true);
  });

  test('that acts for an Owner by exchange makes a tag, and puts no built-in action into a group', async () => {
    const { acme, project } = await makeWorld();
    const scopes = ['Role:Create', 'Group:Create', 'Permission:Create', 'Tag:Create'];
    const act = { sub: newId(), client_id: 'app_machine', role_id: acme.roleId('Owner') };
    const token = stack.token({ userId: acme.ownerId, type: 'projectApp', project, scopes, claims: { act } });
    const make = (path: string, body: object) => stack.request('POST', path, { token, body: { scope: project, ...body } });
    const tag = await make('/api/tags', { name: 'made by an agent', color: 'blue' });
    expect(tag.status).toStrictEqualFor(tag.json, 201);
    const owner = stack.token({ userId: acme.ownerId });
    const resource = await stack.request('GET', `/api/resources?tenant=${project.tenant}&scopeId=${project.id}&search=Role`, {
      token: owner,
    });
    const resourceId = resource.data.items?.map((item) => item).find(({ slug }) => `${slug}` === 'Role')?.id;
    const query = await make('/api/permissions', { name: 'q', action: 'Query', resourceId });
    expect(query.status).toStrictEqualFor(query.json, 201);
    const group = await make('/api/groups', { name: 'g', permissionIds: [query.data.id] });
    expect(group.status).toStrictEqualFor(group.json, 403);
  });
});

const malformed: Readonly<Record<string, unknown>> = {
  'no object': 'x',
  'four links': linksOf(4),
  'no client': { sub: newId() },
  'no id': { sub: 'x', client_id: 'a' },
  'a role that is no id': { sub: newId(), client_id: 'a', role_id: 'Owner' },
};

/** A chain of so many apps. */
function linksOf(count: number): object {
  return { sub: newId(), client_id: `app${count}`, ...(count === 1 ? {} : { act: linksOf(count - 1) }) };
}

test('a token whose act is malformed, or too long, is refused', async () => {
  const { exchanged } = await makeWorld();
  const statusOf = async (act: unknown) => (await stack.request('GET', '/api/auth/permissions', { token: exchanged({ act }) })).status;
  expect(await statusOf(linksOf(3))).toBe(200);
  for (const [name, act] of Object.entries(malformed)) expect(await statusOf(act)).toStrictEqualFor(name, 401);
});
