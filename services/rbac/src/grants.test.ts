/** One product, many customers: what an organization may do in another's project (decision 18). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import type { EventPayloads } from '@tessera/proto/events';
import { until } from '../../../test/support/until.ts';
import { pruneAll } from './storage/retention.ts';
import { createApplication } from './testing/application.ts';
import { startTestStack } from './testing/service.ts';

const stack = await startTestStack();
const database = stack.openDatabase();
afterAll(() => stack.stop());

type Terms = Partial<Omit<EventPayloads['grant.changed'], 'scope'>>;

/** A product with three roles, and one customer that uses it. */
async function world() {
  const [globex, acme] = [await stack.makeOrganization(), await stack.makeOrganization()];
  const product = await stack.makeProject(globex.scope);
  const projectId = product.id.slice(37);
  const post = async (path: string, body: object, token = globex.token) => {
    const answer = await stack.request('POST', path, { token, body });
    expect(answer.status).toStrictEqualFor([path, answer.json, stack.lines], 201);
    return `${answer.data.id}`;
  };
  const inProduct = (path: string, body: object) => post(path, { scope: product, ...body });
  const doc = await inProduct('/api/resources', { name: 'Doc', slug: 'Doc', actions: ['Read', 'Write', 'Export', 'Sign'] });
  const permission = (action: string, condition: object | null = null) =>
    inProduct('/api/permissions', { name: action, action, resourceId: doc, condition });
  const read = await permission('Read');
  const write = await permission('Write');
  const exporting = await permission('Export', { Equals: { 'grant.metadata.plan': 'pro' } });
  const signing = await permission('Sign', { Equals: { 'role.metadata.maySign': true } });
  const group = (name: string, permissionIds: readonly string[]) => inProduct('/api/groups', { name, permissionIds });
  const readers = await group('readers', [read, exporting, signing]);
  const reader = await inProduct('/api/roles', { name: 'Reader', groupIds: [readers] });
  const writer = await inProduct('/api/roles', { name: 'Writer', isGrantable: false, groupIds: [await group('writers', [write])] });
  const grantTo = (customer: Scope) => {
    const scope: Scope = { tenant: 'organizationProject', id: `${customer.id}:${projectId}` };
    const grantId = newId();
    const tell = async (terms: Terms = {}) => {
      const ends = { isActive: true, isEnded: false, roleIds: null, allowCustomRoles: true, maxMembers: null, metadata: {} };
      expect(await stack.tell('grant.changed', { scope, grantId, projectId, ownerOrganizationId: globex.id, ...ends, ...terms })).toBe(
        true,
      );
    };
    return { scope, tell };
  };
  const { scope, tell } = grantTo(acme.scope);
  await tell();
  const subject = { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] };
  const assign = (userId: string, roleIds: readonly string[]) =>
    stack.clientOf(0).roles.setSubjectRoles({ actor: subject, scope, userId, roleIds: [...roleIds] });
  const may = async (userId: string, action: string, place = scope) => (await stack.check(userId, place, action)).reason;
  const list = (path: string, token = acme.token, place = scope) =>
    stack.request('GET', `${path}?tenant=${place.tenant}&scopeId=${place.id}&sortField=name`, { token });
  const member = await acme.addMember('Viewer');
  return {
    globex,
    acme,
    product,
    scope,
    tell,
    grantTo,
    post,
    assign,
    may,
    list,
    member,
    doc,
    read,
    write,
    exporting,
    signing,
    readers,
    reader,
    writer,
  };
}

test('tokens name the product’s roles that count, the terms of this customer, and nothing that a customer has written', async () => {
  const { globex, acme, scope, product, tell, grantTo, assign, member, reader, writer, readers, post } = await world();
  const { roles } = stack.clientOf(0);
  const described = async (userId: string, place = scope) => {
    const { roleNames, ...json } = await roles.describePerson({ scope: place, userId });
    return { roleNames, member: JSON.parse(json.memberMetadataJson), grant: JSON.parse(json.grantMetadataJson) };
  };
  const nothing = { roleNames: [], member: {}, grant: {} };
  await tell({ metadata: { plan: 'pro' } });
  const other = await stack.makeOrganization();
  const elsewhere = grantTo(other.scope);
  await elsewhere.tell({ metadata: { plan: 'secret' } });
  // A role of the customer's own has the name that the product's app trusts.
  const posing = await post('/api/roles', { scope, name: 'Writer', groupIds: [readers] }, acme.token);
  await assign(member, [reader, posing]);
  const actor = { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] };
  await roles.setMemberMetadata({ actor, scope: acme.scope, userId: member, metadataJson: '{"salary":1}' });
  expect(await described(member)).toStrictEqual({ roleNames: ['Reader'], member: {}, grant: { plan: 'pro' } });
  expect(await described(member, elsewhere.scope)).toStrictEqual({ ...nothing, grant: { plan: 'secret' } });
  expect(await described(member, product)).toStrictEqual(nothing);
  await tell({ metadata: { plan: 'pro' }, roleIds: [writer] });
  expect((await described(member)).roleNames).toStrictEqual([]);
  // The owner's own people: what it has written of them, and no built-in role of the organization.
  const own = { type: 'session', userId: globex.ownerId, tokenId: newId(), scopes: [] };
  await roles.setSubjectRoles({ actor: own, scope: product, userId: globex.ownerId, roleIds: [writer] });
  await roles.setMemberMetadata({ actor: own, scope: product, userId: globex.ownerId, metadataJson: '{"office":"Berlin"}' });
  expect(await described(globex.ownerId, product)).toStrictEqual({ roleNames: ['Writer'], member: { office: 'Berlin' }, grant: {} });
});

const granted = 'PERMISSION_GRANTED_NO_CONDITION';
const none = 'NO_MATCHING_PERMISSION_FOUND';

describe('a role of the product', () => {
  test('gives a member of the customer what it gives, in the grant alone', async () => {
    const { member, reader, assign, may, product, acme } = await world();
    expect(await may(member, 'Doc:Read')).toBe(none);
    await assign(member, [reader]);
    expect(await may(member, 'Doc:Read')).toBe(granted);
    expect(await may(member, 'Doc:Write')).toBe(none);
    expect(await may(member, 'Doc:Read', product)).toBe(none);
    expect(await may(acme.ownerId, 'Doc:Read')).toBe(none);
  });

  test('that is missing is told apart in an explanation from a grant that leaves it out or does not stand', async () => {
    const { member, reader, writer, assign, scope, tell } = await world();
    const token = stack.token({ userId: member });
    const refusedBy = async (action: string) => {
      const body = { scope, permission: { resource: 'Doc', action }, explain: true };
      return (await stack.request('POST', '/api/auth/is-authorized', { token, body })).data.explanation?.refusedBy;
    };
    expect([await refusedBy('Read'), await refusedBy('Write')]).toStrictEqual(['subject', 'grant']);
    await tell({ roleIds: [writer, reader] });
    expect([await refusedBy('Read'), await refusedBy('Write')]).toStrictEqual(['subject', 'subject']);
    await assign(member, [reader]);
    expect(await refusedBy('Read')).toBeNull();
    await tell({ isActive: false });
    expect(await refusedBy('Read')).toBe('grant');
  });

  test('is changed for all customers by one change of the product', async () => {
    const { member, reader, assign, may, globex, product, readers, read, write, exporting, signing } = await world();
    await assign(member, [reader]);
    expect(await may(member, 'Doc:Read')).toBe(granted);
    expect(await may(member, 'Doc:Write')).toBe(none);
    const body = { scope: product, permissionIds: [read, write, exporting, signing] };
    expect((await stack.request('PATCH', `/api/groups/${readers}`, { token: globex.token, body })).status).toBe(200);
    expect(await may(member, 'Doc:Write')).toBe(granted);
  });

  test('that the owner does not grant is not seen, not given, and gives nothing any more', async () => {
    const { member, reader, writer, assign, may, list, tell } = await world();
    const { data } = await list('/api/roles');
    expect(data.items?.map(({ name, isShared }) => [name, isShared])).toStrictEqual([['Reader', true]]);
    await expect(assign(member, [writer])).rejects.toMatchObject({ kind: 'not-found' });
    await tell({ roleIds: [writer] });
    await assign(member, [writer]);
    expect(await may(member, 'Doc:Write')).toBe(granted);
    await tell({ roleIds: [reader] });
    expect(await may(member, 'Doc:Write')).toBe(none);
    expect((await list('/api/roles')).data.items?.map(({ name }) => name)).toStrictEqual(['Reader']);
  });

  test('is never changed by the customer', async () => {
    const { acme, scope, reader, readers, read, doc } = await world();
    const token = acme.token;
    for (const [path, code] of [
      [`roles/${reader}`, 'errors.rbac.shared'],
      [`groups/${readers}`, 'errors.rbac.shared'],
      [`permissions/${read}`, 'errors.forbidden'],
      [`resources/${doc}`, 'errors.forbidden'],
    ]) {
      const changed = await stack.request('PATCH', `/api/${path}`, { token, body: { scope, name: 'mine' } });
      expect([changed.status, changed.json.translationKey]).toStrictEqualFor(path, [403, code]);
      const deleted = await stack.request('DELETE', `/api/${path}?tenant=${scope.tenant}&scopeId=${scope.id}&hardDelete=true`, { token });
      expect([deleted.status, deleted.json.translationKey]).toStrictEqualFor(path, [403, code]);
    }
    for (const [path, body] of [
      ['resources', { name: 'Own', slug: 'Own', actions: ['Read'] }],
      ['permissions', { name: 'own', action: 'Write', resourceId: doc }],
    ] as const)
      expect((await stack.request('POST', `/api/${path}`, { token, body: { scope, ...body } })).status).toBe(403);
  });
});

describe('a custom role', () => {
  test('gives what the granted roles reach together, and nothing else', async () => {
    const { acme, scope, member, read, write, assign, may, post, tell, list } = await world();
    const make = (path: string, body: object) => post(path, { scope, ...body }, acme.token);
    const own = await make('/api/groups', { name: 'own', permissionIds: [read] });
    const role = await make('/api/roles', { name: 'Own', groupIds: [own] });
    expect((await list('/api/roles')).data.items?.map(({ name, isShared }) => [name, isShared])).toStrictEqual([
      ['Own', false],
      ['Reader', true],
    ]);
    await assign(member, [role]);
    expect(await may(member, 'Doc:Read')).toBe(granted);
    const stolen = await stack.request('POST', '/api/groups', { token: acme.token, body: { scope, name: 'more', permissionIds: [write] } });
    expect(stolen.status).toBe(404);
    await tell({ allowCustomRoles: false });
    expect(await may(member, 'Doc:Read')).toBe(none);
    await tell({ allowCustomRoles: true });
    expect(await may(member, 'Doc:Read')).toBe(granted);
    await tell({ roleIds: [] });
    expect(await may(member, 'Doc:Read')).toBe(none);
  });

  test('has of its own what the product’s roles give, and makes no permission of the product', async () => {
    const { acme, scope, product, member, doc, assign, may, post, globex } = await world();
    const give = (...actions: string[]) => ({ permissions: [{ resourceId: doc, actions }] });
    const role = await post('/api/roles', { scope, name: 'Own', ...give('Read') }, acme.token);
    await assign(member, [role]);
    expect(await may(member, 'Doc:Read')).toBe(granted);
    // Of another role, not granted; of a granted one, but under a condition; of none.
    for (const action of ['Write', 'Export', 'Sign']) {
      const body = { scope, ...give('Read', action) };
      expect((await stack.request('PATCH', `/api/roles/${role}`, { token: acme.token, body })).status).toStrictEqualFor(action, 403);
    }
    expect(await may(member, 'Doc:Write')).toBe(none);
    const query = `tenant=${product.tenant}&scopeId=${product.id}`;
    const permissions = await stack.request('GET', `/api/permissions?${query}`, { token: globex.token });
    expect(permissions.data.totalCount).toBe(4);
  });

  test('does not meet a condition by facts that the customer writes', async () => {
    const { acme, scope, member, signing, assign, may, post, globex, product, reader } = await world();
    const make = (path: string, body: object) => post(path, { scope, ...body }, acme.token);
    const own = await make('/api/groups', { name: 'own', permissionIds: [signing], metadata: { maySign: true } });
    const role = await make('/api/roles', { name: 'Own', groupIds: [own], metadata: { maySign: true } });
    await assign(member, [role]);
    expect(await may(member, 'Doc:Sign')).toBe(none);
    await assign(member, [reader]);
    expect(await may(member, 'Doc:Sign')).toBe('PERMISSION_FOUND_CONDITION_NOT_MET');
    const body = { scope: product, metadata: { maySign: true } };
    expect((await stack.request('PATCH', `/api/roles/${reader}`, { token: globex.token, body })).status).toBe(200);
    expect(await may(member, 'Doc:Sign')).toBe('PERMISSION_GRANTED_CONDITION_MET');
  });

  test('is not seen by another customer, or by the owner', async () => {
    const { acme, scope, post, list, grantTo, globex, product } = await world();
    await post('/api/roles', { scope, name: 'Own' }, acme.token);
    const other = await stack.makeOrganization();
    const { scope: elsewhere, tell } = grantTo(other.scope);
    await tell();
    expect((await list('/api/roles', other.token, elsewhere)).data.items?.map(({ name }) => name)).toStrictEqual(['Reader']);
    expect((await list('/api/roles', globex.token, product)).data.items?.map(({ name }) => name)).toStrictEqual(['Reader', 'Writer']);
    for (const { token } of [other, globex]) expect((await list('/api/roles', token)).status).toBe(403);
    expect((await list('/api/roles', acme.token, product)).status).toBe(403);
  });
});

describe('the owner’s machine app that acts in grants', () => {
  async function machine() {
    const one = await world();
    const { product, writer, post, globex } = one;
    const roles = await stack.request('GET', `/api/resources?tenant=${product.tenant}&scopeId=${product.id}&search=Role`, {
      token: globex.token,
    });
    const resources = new Map(roles.data.items?.map(({ slug, id }) => [String(slug), String(id)]));
    const inProduct = (path: string, body: object) => post(path, { scope: product, ...body });
    const make = async (action: string) =>
      inProduct('/api/permissions', { name: `roles ${action}`, action, resourceId: resources.get('Role') });
    const group = await inProduct('/api/groups', {
      name: 'apps',
      permissionIds: [one.write, one.exporting, await make('Query'), await make('Create')],
    });
    const roleId = await inProduct('/api/roles', { name: 'App', isGrantable: false, groupIds: [group] });
    const appId = newId();
    const bearer = (claims: object = { actsInGrants: true }, userId = appId) =>
      stack.token({ userId, type: 'apiKey', project: product, roleId, claims });
    const ask = async (action: string, scope: Scope | undefined, token = bearer()) => {
      const body = { permission: { resource: 'Doc', action }, ...(scope && { scope }) };
      return String((await stack.request('POST', '/api/auth/is-authorized', { token, body })).data['reason']);
    };
    return { ...one, writer, roleId, group, appId, bearer, ask };
  }

  test('decides there by its role in the project, under the terms of the grant', async () => {
    const { ask, scope, product, tell, globex, group, read, list, bearer } = await machine();
    expect(await ask('Write', scope)).toBe(granted);
    expect(await ask('Read', scope)).toBe(none);
    expect([await ask('Write', product), await ask('Write', undefined)]).toStrictEqual([granted, granted]);
    expect(await ask('Export', scope)).toBe('PERMISSION_FOUND_CONDITION_NOT_MET');
    await tell({ metadata: { plan: 'pro' } });
    expect(await ask('Export', scope)).toBe('PERMISSION_GRANTED_CONDITION_MET');
    const body = { scope: product, permissionIds: [read] };
    expect((await stack.request('PATCH', `/api/groups/${group}`, { token: globex.token, body })).status).toBe(200);
    expect([await ask('Read', scope), await ask('Write', scope)]).toStrictEqual([granted, none]);
    await tell({ isActive: false });
    expect(await ask('Read', scope)).toBe('GRANT_SUSPENDED');
    expect((await list('/api/roles', bearer())).status).toBe(403);
    await tell({ isActive: false, isEnded: true });
    expect(await ask('Read', scope)).toBe('GRANT_ENDED');
    expect(await ask('Read', product)).toBe(granted);
  });

  test('asks over gRPC about the scope of each grant, and about no other', async () => {
    const { scope, bearer, foreign } = { ...(await machine()), foreign: await world() };
    const application = createApplication(stack.apps[0]?.grpcAddress ?? '');
    const asked = { resource: 'Doc', action: 'Write', subject: { type: 'self' } };
    expect(await application.isAuthorized(bearer(), { ...asked, scope })).toMatchObject({ authorized: true, reason: granted });
    for (const [token, place] of [
      [bearer({}), scope],
      [bearer(), foreign.scope],
    ] as const)
      expect(await application.isAuthorized(token, { ...asked, scope: place })).toMatchObject({ code: 'PERMISSION_DENIED' });
    application.close();
  });

  test('is refused over gRPC in the log of the organization that it asks about, once a minute', async () => {
    const { scope, product, bearer, member, appId } = await machine();
    const other = { tenant: 'organizationProject', id: `${(await stack.makeOrganization()).id}:${product.id.slice(37)}` };
    const application = createApplication(stack.apps[0]?.grpcAddress ?? '');
    const token = bearer();
    const asked = { resource: 'Doc', action: 'Write', subject: { userId: member } };
    for (const place of [scope, product, scope, other, (await world()).scope])
      expect((await application.isAuthorized(token, { ...asked, scope: place })).code).toBe('PERMISSION_DENIED');
    expect((await application.findSubjects(token, { resource: 'Doc', action: 'Write', scope })).code).toBe('PERMISSION_DENIED');
    application.close();
    const rows = () =>
      database.query<{ scope_id: string; reason: string }>(
        sql(
          `SELECT scope_id, detail->>'reason' AS reason FROM audit_log WHERE action = 'decision.refused' AND actor_id = $1 ORDER BY 2, 1`,
        ),
        [appId],
      );
    const sorted = (ids: readonly string[]) => ids.toSorted();
    await until(async () => (await rows()).length === 4);
    const found = await rows();
    const evaluating = found.filter(({ reason }) => reason === 'errors.rbac.evaluate').map(({ scope_id: id }) => id);
    // In a scope without a grant, the row is the owner's.
    expect(sorted(evaluating)).toStrictEqual(sorted([scope.id, product.id, product.id]));
    expect(found.filter(({ reason }) => reason === 'errors.rbac.outsideScope')).toMatchObject([{ scope_id: product.id }]);
  });

  test('reads how rights are made there, and changes nothing', async () => {
    const { list, bearer, scope, post, acme, member, assign, reader } = await machine();
    await post('/api/roles', { scope, name: 'Own' }, acme.token);
    expect((await list('/api/roles', bearer())).data.items?.map(({ name }) => name)).toStrictEqual(['Own', 'Reader']);
    for (const [path, body] of [
      ['roles', { name: 'Theirs' }],
      ['groups', { name: 'Theirs' }],
      ['tags', { name: 'Theirs', color: 'red' }],
    ] as const)
      expect((await stack.request('POST', `/api/${path}`, { token: bearer(), body: { scope, ...body } })).status).toStrictEqualFor(
        path,
        403,
      );
    await assign(member, [reader]);
    const { userId, tokenId, ...rest } = { type: 'apiKey', userId: newId(), tokenId: newId(), scopes: [], actsInGrants: true };
    const actor = { ...rest, userId, tokenId, tokenScope: { tenant: 'organizationProjectUser', id: `${scope.id}:${userId}` } };
    await expect(stack.clientOf(0).roles.setSubjectRoles({ actor, scope, userId: member, roleIds: [] })).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });

  test('learns over gRPC by a user’s token what its holder may where the token acts, by default and by name', async () => {
    const { scope, product, bearer, member, assign, reader, globex, foreign } = { ...(await machine()), foreign: await world() };
    await assign(member, [reader]);
    const application = createApplication(stack.apps[0]?.grpcAddress ?? '');
    /** A token that the key of a project signed, for a place where it is used. */
    const tokenOf = (userId: string, place: Scope, project = product) => {
      const bound = { tenant: 'organizationProjectUser', id: `${place.id}:${userId}` };
      return stack.token({ userId, type: 'projectApp', project, scopes: ['Doc:Read', 'Doc:Write'], claims: { scope: bound } });
    };
    const asked = { resource: 'Doc', action: 'Read', userToken: tokenOf(member, scope) };
    // Of the project's owner, whether or not it acts in grants.
    for (const key of [bearer({}), bearer()]) {
      expect(await application.isAuthorized(key, asked)).toMatchObject({ authorized: true, reason: granted });
      expect(await application.isAuthorized(key, { ...asked, scope })).toMatchObject({ authorized: true, reason: granted });
      expect(await application.isAuthorized(key, { ...asked, scope: product })).toMatchObject({
        authorized: false,
        reason: 'INVALID_SCOPE',
      });
      expect(await application.isAuthorized(key, { ...asked, action: 'Write' })).toMatchObject({ authorized: false, reason: none });
      const { permissions } = await application.listPermissions(key, { userToken: asked.userToken });
      expect(permissions?.some(({ resource, action }) => resource === 'Doc' && action === 'Read')).toBe(true);
    }
    // Another project's owner gave these rights: they say nothing here.
    await foreign.assign(foreign.member, [foreign.reader]);
    const theirs = tokenOf(foreign.member, foreign.scope, foreign.product);
    expect(await application.isAuthorized(bearer({}), { ...asked, userToken: theirs })).toMatchObject({ reason: 'INVALID_SCOPE' });
    for (const [userToken, place] of [
      [theirs, foreign.scope],
      ['no token', scope],
      [stack.token({ userId: member }), scope],
      [tokenOf(globex.ownerId, product), scope],
    ] as const)
      expect(await application.isAuthorized(bearer({}), { ...asked, userToken, scope: place })).toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    // A customer's key asks at the customer alone, about every token.
    const customers = stack.token({
      userId: member,
      type: 'apiKey',
      project: product,
      roleId: reader,
      claims: { scope: { tenant: 'organizationProjectUser', id: `${scope.id}:${member}` } },
    });
    expect(await application.isAuthorized(customers, asked)).toMatchObject({ authorized: true });
    const owners = tokenOf(globex.ownerId, product);
    expect(await application.isAuthorized(customers, { ...asked, userToken: owners })).toMatchObject({ reason: 'INVALID_SCOPE' });
    expect(await application.isAuthorized(customers, { ...asked, userToken: owners, scope: product })).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    application.close();
  });

  test('has nothing where no organization uses the project, and nothing without the word of its token', async () => {
    const { ask, scope, product, acme, bearer, may, member } = await machine();
    const other = await stack.makeOrganization();
    const foreign = await world();
    for (const place of [
      { tenant: 'organizationProject', id: `${other.id}:${product.id.slice(37)}` },
      foreign.scope,
      foreign.product,
      acme.scope,
      { tenant: 'accountProject', id: scope.id },
    ] as const)
      expect(await ask('Write', place)).toStrictEqualFor(place, 'INVALID_SCOPE');
    expect(await ask('Write', scope, bearer({}))).toBe('INVALID_SCOPE');
    for (const claims of [{ actsInGrants: 'yes' }, { actsInGrants: true, roleId: undefined }])
      expect((await stack.request('POST', '/api/auth/is-authorized', { token: bearer(claims), body: {} })).status).toBe(401);
    expect(await may(member, 'Doc:Write')).toBe(none);
  });

  test('is answered alike by memory and database, and apart from a key with the same role there', async () => {
    const { scope, appId, roleId, product } = await machine();
    const subject = (more: object) => ({ type: 'apiKey', userId: appId, tokenId: newId(), scopes: [], roleId, ...more });
    const owners = subject({ actsInGrants: true, tokenScope: { tenant: 'organizationProjectUser', id: `${product.id}:${appId}` } });
    const customers = subject({ tokenScope: { tenant: 'organizationProjectUser', id: `${scope.id}:${appId}` } });
    for (const noCache of [false, true, false])
      for (const [who, expected] of [
        [owners, granted],
        [customers, none],
      ] as const)
        expect((await stack.check(appId, scope, 'Doc:Write', { subject: who, noCache })).reason).toBe(expected);
  });
});

describe('the grant', () => {
  test('ends what it gave when it is suspended or ends, and says so to those who had it', async () => {
    const { member, reader, assign, may, tell, acme, list } = await world();
    await assign(member, [reader]);
    expect(await may(member, 'Doc:Read')).toBe(granted);
    await tell({ isActive: false });
    expect(await may(member, 'Doc:Read')).toBe('GRANT_SUSPENDED');
    expect(await may(newId(), 'Doc:Read')).toBe(none);
    const suspended = await list('/api/roles', acme.token);
    expect([suspended.status, suspended.json.extensions ?? suspended.json]).toMatchObject([403, { reason: 'grant_suspended' }]);
    await tell({ isActive: false, isEnded: true });
    expect(await may(member, 'Doc:Read')).toBe('GRANT_ENDED');
    await tell();
    expect(await may(member, 'Doc:Read')).toBe(granted);
  });

  test('has metadata that conditions read', async () => {
    const { member, reader, assign, may, tell } = await world();
    await assign(member, [reader]);
    expect(await may(member, 'Doc:Export')).toBe('PERMISSION_FOUND_CONDITION_NOT_MET');
    await tell({ metadata: { plan: 'pro' } });
    expect(await may(member, 'Doc:Export')).toBe('PERMISSION_GRANTED_CONDITION_MET');
  });

  test('keeps no metadata of members: that of the product’s own people stays as it is', async () => {
    const { acme, scope, product, globex, member, assign, reader } = await world();
    await assign(member, [reader]);
    const write = (userId: string, place: Scope, metadata: object) => {
      const actor = { type: 'session', userId, tokenId: newId(), scopes: [] };
      return stack.clientOf(0).roles.setMemberMetadata({ actor, scope: place, userId: member, metadataJson: JSON.stringify(metadata) });
    };
    await write(globex.ownerId, product, { level: 'gold' });
    await expect(write(acme.ownerId, scope, { level: 'none' })).rejects.toMatchObject({ kind: 'validation' });
    const read = async (place: Scope) =>
      (await stack.clientOf(0).roles.listSubjectRoles({ scope: place, userIds: [member] })).subjects.map(
        ({ metadataJson }) => metadataJson,
      );
    expect([await read(product), await read(scope)]).toStrictEqual([['{"level":"gold"}'], ['{}']]);
  });

  test('lets in members of the customer only, and as many as its owner allows', async () => {
    const { reader, assign, acme, tell } = await world();
    await expect(assign(newId(), [reader])).rejects.toMatchObject({ kind: 'not-found' });
    await tell({ maxMembers: 2 });
    const members = [await acme.addMember('Viewer'), await acme.addMember('Dev'), await acme.addMember('Dev')];
    const given = await Promise.allSettled(members.map((userId) => assign(userId, [reader])));
    expect(given.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const [refused] = given.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toMatchObject({ kind: 'quota', extensions: { quota: 'grantMembers' } });
  });

  test('demands what the customer and the owner demand, and ends with either', async () => {
    const { member, reader, assign, may, globex, acme } = await world();
    await assign(member, [reader]);
    expect(await may(member, 'Doc:Read')).toBe(granted);
    const restrict = (id: string, isSuspended: boolean) =>
      stack.tell('tenant.restricted', { scope: { tenant: 'organization', id }, isSuspended, mostApiKeys: null });
    for (const { id } of [globex, acme]) {
      await restrict(id, true);
      expect(await may(member, 'Doc:Read')).toBe('TENANT_SUSPENDED');
      await restrict(id, false);
      expect(await may(member, 'Doc:Read')).toBe(granted);
    }
    await stack.tell('user.left', { userId: member, scope: acme.scope });
    expect(await may(member, 'Doc:Read')).toBe(none);
  });

  test('tells both sides who got a role, lost it and left, and the owner nothing more', async () => {
    const { acme, globex, product, scope, member, reader, assign, tell } = await world();
    const other = await acme.addMember('Viewer');
    await assign(member, [reader]);
    await assign(member, [reader]);
    await assign(other, [reader]);
    await assign(other, []);
    const subject = { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] };
    await stack.clientOf(0).roles.endMembership({ actor: subject, scope: acme.scope, userId: member });
    await stack.tell('user.left', { userId: member, scope: acme.scope });
    const rows = await database.query<Record<string, unknown>>(
      sql(`SELECT scope_id, action, target_id, actor_id, ip_address::text, user_agent, detail FROM audit_log
        WHERE action LIKE 'grantMember.%' AND scope_id = ANY ($1) ORDER BY at, id`),
      [[scope.id, product.id]],
    );
    const expected = [
      ['grantMember.assigned', member],
      ['grantMember.assigned', other],
      ['grantMember.unassigned', other],
      ['grantMember.left', member],
    ];
    for (const id of [scope.id, product.id]) {
      const inScope = rows.filter((row) => row['scope_id'] === id);
      expect(inScope.map((row) => [row['action'], row['target_id']])).toStrictEqual(expected);
      for (const row of inScope) {
        expect([row['ip_address'], row['user_agent']]).toStrictEqual(['', '']);
        expect(row['detail']).toMatchObject({ organizationId: acme.id, grantId: expect.any(String) });
      }
    }
    const ofOwner = rows.filter((row) => row['scope_id'] === product.id);
    expect(ofOwner.map((row) => row['actor_id'])).toStrictEqual([null, null, null, null]);
    expect(ofOwner[0]?.['detail']).toMatchObject({ roles: [{ id: reader, name: 'Reader' }] });
    // After the end the owner learns nothing of its former customer's people.
    const late = await acme.addMember('Viewer');
    await assign(late, [reader]);
    await tell({ isActive: false, isEnded: true });
    await stack.tell('user.left', { userId: late, scope: acme.scope });
    const after = await database.query(sql(`SELECT FROM audit_log WHERE action = 'grantMember.left' AND target_id = $1`), [late]);
    expect([globex.id === acme.id, after]).toStrictEqual([false, []]);
  });

  test('leaves nothing behind once the customer or the product is deleted for good', async () => {
    for (const end of ['customer', 'product'] as const) {
      const { acme, globex, product, scope, member, read, reader, assign, post } = await world();
      const make = (path: string, body: object) => post(path, { scope, ...body }, acme.token);
      const role = await make('/api/roles', { name: 'Own', groupIds: [await make('/api/groups', { name: 'own', permissionIds: [read] })] });
      const tag = await make('/api/tags', { name: 'own', color: 'red' });
      await assign(member, [reader, role]);
      const left = async () => {
        const [row] = await database.query<Record<string, number>>(
          sql(`SELECT (SELECT count(*) FROM project_grants WHERE scope_id = $1) AS grants,
            (SELECT count(*) FROM role_assignments WHERE scope_id = $1) AS assignments,
            (SELECT count(*) FROM roles WHERE id = $2) AS roles, (SELECT count(*) FROM tags WHERE id = $3) AS tags`),
          [scope.id, role, tag],
        );
        return Object.values(row ?? {}).map(Number);
      };
      expect(await left()).toStrictEqual([1, 2, 1, 1]);
      if (end === 'product') await stack.tell('project.deleted', { scope: product, hard: true });
      else await stack.tell('organization.deleted', { organizationId: acme.scope.id, projectIds: [], hard: true });
      expect([end, await left()]).toStrictEqual([end, [0, 0, 0, 0]]);
      expect((await stack.check(globex.ownerId, globex.scope, 'Role:Query')).authorized).toBe(true);
    }
  });

  test('keeps its roles for thirty days after the end, for a new grant of the pair', async () => {
    const { scope, member, reader, assign, tell, may } = await world();
    await assign(member, [reader]);
    await tell({ isActive: false, isEnded: true });
    await pruneAll(database);
    await tell();
    expect(await may(member, 'Doc:Read')).toBe(granted);
    await tell({ isActive: false, isEnded: true });
    await database.query(sql(`UPDATE project_grants SET ended_at = now() - interval '31 days' WHERE scope_id = $1`), [scope.id]);
    await pruneAll(database);
    await tell();
    expect(await may(member, 'Doc:Read')).toBe(none);
  });

  test('ends with the product', async () => {
    const { member, reader, assign, may, product } = await world();
    await assign(member, [reader]);
    expect(await may(member, 'Doc:Read')).toBe(granted);
    await stack.tell('project.deleted', { scope: product, hard: false });
    expect(await may(member, 'Doc:Read')).toBe('INVALID_SCOPE');
  });
});
