/** Groups of a directory: both dialects, filters, bounds, and what an attacker would send. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { until } from '../../../../../test/support/until.ts';
import { portionsOf } from '../../operations/directory-changes.ts';
import { type Directory, groupUrn, openDirectory } from '../../testing/scim.ts';
import { openTestService, tokenFor } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

let acme: Directory;
let foreignId: string;
let [ada, ben, cleo]: readonly string[] = [];
const idOf = (of: string | undefined): string => of ?? '';

beforeAll(async () => {
  acme = await openDirectory(service);
  const made = ['ada', 'ben', 'cleo'].map((name) => acme.create(`${name}@groups.example`));
  [ada, ben, cleo] = (await Promise.all(made)).map(({ json }) => json.id);
  const globex = await openDirectory(service, 'Globex');
  foreignId = (await globex.create('eve@globex.example')).json.id;
});

async function membersOf(id: string): Promise<string> {
  const { json } = await acme.ask('GET', `/Groups/${id}`);
  const members: { value: string }[] = json.members ?? [];
  const names = new Map([
    [ada, 'ada'],
    [ben, 'ben'],
    [cleo, 'cleo'],
  ]);
  return members
    .map(({ value }) => names.get(value) ?? value)
    .toSorted()
    .join(' ');
}

describe('a group', () => {
  test('is created, read, replaced and deleted, and its people show it', async () => {
    const { status, json, headers } = await acme.createGroup('Engineers', [idOf(ada)], { externalId: 'g-1' });
    const base = `https://tessera.example/scim/v2/${acme.organizationId}`;
    expect([status, headers.location, headers.etag]).toStrictEqual([201, `${base}/Groups/${json.id}`, json.meta.version]);
    expect(json).toMatchObject({
      schemas: [groupUrn],
      displayName: 'Engineers',
      externalId: 'g-1',
      members: [{ value: ada, $ref: `${base}/Users/${ada}`, display: 'ada@groups.example', type: 'User' }],
      meta: { resourceType: 'Group' },
    });
    const person = await acme.ask('GET', `/Users/${ada}`);
    expect(person.json.groups).toStrictEqual([{ value: json.id, $ref: `${base}/Groups/${json.id}`, display: 'Engineers', type: 'direct' }]);
    const put = await acme.ask('PUT', `/Groups/${json.id}`, { schemas: [groupUrn], displayName: 'Builders', members: [{ value: ben }] });
    expect([put.status, put.json.displayName, put.json.externalId, await membersOf(json.id)]).toStrictEqual([
      200,
      'Builders',
      undefined,
      'ben',
    ]);
    expect((await acme.ask('DELETE', `/Groups/${json.id}`)).status).toBe(204);
    expect((await acme.ask('GET', `/Groups/${json.id}`)).status).toBe(404);
    expect((await acme.ask('GET', `/Users/${ben}`)).json.groups).toBeUndefined();
  });

  test('a person who is deleted is in no group any more', async () => {
    const { json: dora } = await acme.create('dora@groups.example');
    const { json: group } = await acme.createGroup('Leavers', [dora.id]);
    await acme.ask('DELETE', `/Users/${dora.id}`);
    expect((await acme.ask('GET', `/Groups/${group.id}`)).json.members).toBeUndefined();
  });

  test('`groups` of a person is read-only, by PATCH and by PUT', async () => {
    const { json } = await acme.createGroup('Readers');
    const refused = await acme.patch(idOf(cleo), [{ op: 'add', path: 'groups', value: [{ value: json.id }] }]);
    expect([refused.status, refused.json.scimType]).toStrictEqual([400, 'mutability']);
    await acme.ask('PUT', `/Users/${cleo}`, {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'cleo@groups.example',
      groups: [{ value: json.id }],
    });
    expect(await membersOf(json.id)).toBe('');
  });

  test('a taken externalId is 409, and If-Match with an older version is 412', async () => {
    const { json } = await acme.createGroup('One', [], { externalId: 'same' });
    const again = await acme.createGroup('Two', [], { externalId: 'same' });
    expect([again.status, again.json.scimType]).toStrictEqual([409, 'uniqueness']);
    const add = [{ op: 'add', path: 'members', value: [{ value: ada }] }];
    expect((await acme.patchGroup(json.id, add, { 'if-match': json.meta.version })).status).toBe(204);
    expect((await acme.patchGroup(json.id, add, { 'if-match': json.meta.version })).status).toBe(412);
  });
});

describe('PATCH', () => {
  const cases: readonly (readonly [name: string, operations: () => object[], members: string])[] = [
    ['Okta adds', () => [{ op: 'add', path: 'members', value: [{ value: ben, display: 'ben@groups.example' }] }], 'ada ben'],
    ['Okta removes by a filter', () => [{ op: 'remove', path: `members[value eq "${ada}"]` }], ''],
    ['Okta replaces by an object', () => [{ op: 'replace', value: { id: 'x', displayName: 'G', members: [{ value: cleo }] } }], 'cleo'],
    ['Entra adds', () => [{ op: 'Add', path: 'members', value: [{ $ref: null, value: ben }, { value: cleo }] }], 'ada ben cleo'],
    ['Entra removes by the value', () => [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: ada }] }], ''],
    ['one member instead of a list', () => [{ op: 'add', path: 'members', value: { value: ben } }], 'ada ben'],
    ['an id instead of an object', () => [{ op: 'add', path: 'members', value: ben }], 'ada ben'],
    [
      'the whole path, capitals and an upper-case id',
      () => [{ op: 'ADD', path: `${groupUrn}:MEMBERS`, value: [idOf(ben).toUpperCase()] }],
      'ada ben',
    ],
    ['several by one filter', () => [{ op: 'remove', path: `members[value eq "${ada}" or value eq "${ben}"]` }], ''],
    ['remove of all', () => [{ op: 'remove', path: 'members' }], ''],
    ['remove of an empty list removes nobody', () => [{ op: 'remove', path: 'members', value: [] }], 'ada'],
    ['replace', () => [{ op: 'replace', path: 'members', value: [{ value: ben }, { value: cleo }] }], 'ben cleo'],
    [
      'add and remove in order',
      () => [
        { op: 'add', path: 'members', value: [ben] },
        { op: 'remove', path: `members[value eq "${ben}"]` },
      ],
      'ada',
    ],
    ['remove of somebody who is no member', () => [{ op: 'remove', path: `members[value eq "${newId()}"]` }], 'ada'],
  ];
  test.each(cases)('%s', async (_name, operations, members) => {
    const { json } = await acme.createGroup('Group', [idOf(ada)]);
    const { status, headers, json: body } = await acme.patchGroup(json.id, operations());
    expect([status, body, await membersOf(json.id)]).toStrictEqual([204, {}, members]);
    expect(headers.etag).toMatch(/^W\/"\d+"$/);
  });

  test('changes the name and the members together, or nothing', async () => {
    const { json } = await acme.createGroup('Old', [idOf(ada)]);
    const both = [
      { op: 'replace', path: 'displayName', value: 'New' },
      { op: 'add', path: 'members', value: [{ value: ben }, { value: foreignId }] },
    ];
    expect((await acme.patchGroup(json.id, both)).status).toBe(400);
    const [first] = both;
    await acme.patchGroup(json.id, first === undefined ? [] : [first]);
    const { json: after } = await acme.ask('GET', `/Groups/${json.id}`);
    expect([after.displayName, await membersOf(json.id)]).toStrictEqual(['New', 'ada']);
  });

  test('answers with the attributes that were asked for', async () => {
    const { json } = await acme.createGroup('Asked', [idOf(ada)]);
    const add = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'add', path: 'members', value: [ben] }] };
    const answered = await acme.ask('PATCH', `/Groups/${json.id}?attributes=members`, add);
    expect([answered.status, answered.json.members.length, answered.json.displayName]).toStrictEqual([200, 2, undefined]);
  });
});

describe('lists', () => {
  async function namesOf(filter: string, more = ''): Promise<string> {
    const { status, json } = await acme.ask('GET', `/Groups?filter=${encodeURIComponent(filter)}${more}`);
    if (status !== 200) return `${status} ${json.scimType}`;
    const found: { displayName: string }[] = json.Resources ?? [];
    return found.map(({ displayName }) => displayName).join(' ');
  }

  test('filters by name, member and id, with pages, orders and without members', async () => {
    const [one, two] = [await acme.createGroup('List-A', [idOf(ada)]), await acme.createGroup('List-B', [idOf(ada), idOf(ben)])];
    const base = `https://tessera.example/scim/v2/${acme.organizationId}/Groups/`;
    const listed = 'displayName sw "list-"';
    for (const [filter, names] of [
      ['displayName eq "list-a"', 'List-A'],
      [`${listed} and members.value eq "${ben}"`, 'List-B'],
      [`${listed} and members[value eq "${ada}"]`, 'List-A List-B'],
      [`${listed} and members eq "${ben}"`, 'List-B'],
      [`${listed} and members.display co "BEN@"`, 'List-B'],
      [`${listed} and members[value eq "${ben}" and type eq "User"]`, 'List-B'],
      [`id eq "${one.json.id}" and members.value eq "${cleo}"`, ''],
      [`meta.location eq "${base}${two.json.id}"`, 'List-B'],
      [`members.value eq "${foreignId}"`, ''],
      ['schemas eq "urn:ietf:params:scim:schemas:core:2.0:Group" and displayName eq "LIST-B"', 'List-B'],
      ['userName eq "ada@groups.example"', '400 invalidFilter'],
    ] as const)
      expect([filter, await namesOf(filter, '&sortBy=displayName')]).toStrictEqual([filter, names]);
    expect(await namesOf(listed, '&sortBy=displayName&sortOrder=descending&count=1')).toBe('List-B');
    const page = await acme.ask('GET', `/Groups?cursor=&count=1&filter=${encodeURIComponent(listed)}`);
    const next = await acme.ask('GET', `/Groups?cursor=${page.json.nextCursor}&count=1&filter=${encodeURIComponent(listed)}`);
    expect([page.json.totalResults, next.json.Resources.length, next.json.nextCursor]).toStrictEqual([2, 1, undefined]);
    const brief = await acme.ask('GET', `/Groups/${two.json.id}?excludedAttributes=members`);
    expect([brief.json.members, brief.json.displayName]).toStrictEqual([undefined, 'List-B']);
    const people = await acme.filtered(`groups.value eq "${two.json.id}"`, '&sortBy=userName&attributes=userName,groups.display');
    expect(people.json.Resources.map(({ userName }: { userName: string }) => userName)).toStrictEqual([
      'ada@groups.example',
      'ben@groups.example',
    ]);
    const all = await acme.ask('GET', `/?filter=${encodeURIComponent(`id eq "${two.json.id}"`)}`);
    expect(all.json.Resources).toHaveLength(1);
  });
});

describe('what an attacker would send', () => {
  const refusals: readonly (readonly [name: string, operation: () => object, scimType: string])[] = [
    ['a person of another organization', () => ({ op: 'add', path: 'members', value: [{ value: foreignId }] }), 'invalidValue'],
    ['an unknown person', () => ({ op: 'add', path: 'members', value: [{ value: newId() }] }), 'invalidValue'],
    ['a group in a group', () => ({ op: 'add', path: 'members', value: [{ value: ada, type: 'Group' }] }), 'invalidValue'],
    ['no id', () => ({ op: 'add', path: 'members', value: [{ value: "x' OR 1=1" }] }), 'invalidValue'],
    ['a number', () => ({ op: 'add', path: 'members', value: [7] }), 'invalidValue'],
    ['a list in a list', () => ({ op: 'add', path: 'members', value: [[ada]] }), 'invalidValue'],
    ['true', () => ({ op: 'add', path: 'members', value: true }), 'invalidValue'],
    ['a changed member', () => ({ op: 'replace', path: `members[value eq "${ada}"].value`, value: ben }), 'mutability'],
    ['a filter that names nobody', () => ({ op: 'remove', path: 'members[display co "a"]' }), 'invalidFilter'],
    ['a path that looks like members', () => ({ op: 'add', path: 'membersOf', value: [ada] }), 'invalidPath'],
    ['a name of another type', () => ({ op: 'replace', path: 'displayName', value: { x: 1 } }), 'invalidValue'],
    ['no name', () => ({ op: 'remove', path: 'displayName' }), 'invalidValue'],
  ];
  test.each(refusals)('%s is refused', async (_name, operation, scimType) => {
    const { json } = await acme.createGroup('Target', [idOf(ada)]);
    const { status, json: error } = await acme.patchGroup(json.id, [operation()]);
    expect([status, error.scimType, await membersOf(json.id)]).toStrictEqual([400, scimType, 'ada']);
  });

  test('the refusal of a foreign person says what that of an unknown one says', async () => {
    const { json } = await acme.createGroup('Same words');
    const unknown = newId();
    const say = async (value: string) => {
      const { json: error } = await acme.patchGroup(json.id, [{ op: 'add', path: 'members', value: [{ value }] }]);
      return String(error.detail).replace(value, 'ID');
    };
    expect(await say(foreignId)).toBe(await say(unknown));
  });

  test('a group of another organization is unknown', async () => {
    const globex = await openDirectory(service, 'Other');
    const { json } = await globex.createGroup('Theirs');
    expect((await acme.ask('GET', `/Groups/${json.id}`)).status).toBe(404);
    expect((await acme.patchGroup(json.id, [{ op: 'replace', path: 'displayName', value: 'Mine' }])).status).toBe(404);
    expect((await acme.ask('DELETE', `/Groups/${json.id}`)).status).toBe(404);
  });

  test('20,001 members in one request, and 100,000, are refused with an error that says how', async () => {
    const ids = Array.from({ length: 20_001 }, () => ({ value: newId() }));
    const { json } = await acme.createGroup('Large');
    const { status, json: error } = await acme.patchGroup(json.id, [{ op: 'add', path: 'members', value: ids }]);
    expect([status, error.scimType, error.detail]).toStrictEqual([400, 'tooMany', expect.stringMatching(/several PATCH requests/)]);
    const body = `{"schemas":["${groupUrn}"],"displayName":"x","members":[${Array.from({ length: 100_000 }, () => `"${ada}"`).join(',')}]}`;
    expect((await acme.ask('POST', '/Groups', body)).status).toBe(413);
  });

  test('`__proto__` is refused, and `constructor` is no attribute', async () => {
    const proto = await acme.ask('POST', '/Groups', `{"schemas":["${groupUrn}"],"displayName":"x","__proto__":{"members":[]}}`);
    expect(proto.status).toBe(400);
    const { status, json } = await acme.createGroup('Plain', [], { constructor: 1, toString: [], members: [{ value: ada }] });
    expect([status, Object.hasOwn(json, 'constructor')]).toStrictEqual([201, false]);
  });
});

test('two PATCHes of a group at once both count', async () => {
  const { json } = await acme.createGroup('Races');
  const add = (id: string | undefined) => acme.patchGroup(json.id, [{ op: 'add', path: 'members', value: [{ value: id }] }]);
  await Promise.all([add(ada), add(ben), add(cleo)]);
  expect(await membersOf(json.id)).toBe('ada ben cleo');
});

test('a second service account of the same organization goes on with the same people and groups', async () => {
  const { json } = await acme.createGroup('Handed over', [idOf(ada)]);
  const secondId = newId();
  service.rbac.directories.add(`${acme.organizationId}:${secondId}`);
  service.identity.serviceCredentials.add(secondId);
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const response = await service.app.inject({
      method,
      url: `/scim/v2/${acme.organizationId}${path}`,
      headers: { authorization: `Bearer service.${secondId}.${acme.organizationId}.organization`, 'content-type': 'application/scim+json' },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return { status: response.statusCode, json: response.json() };
  };
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
  const again = await ask('POST', '/Users', { schemas, userName: 'ada@groups.example' });
  expect([again.status, again.json.scimType]).toStrictEqual([409, 'uniqueness']);
  expect((await ask('GET', `/Groups/${json.id}`)).json.members).toHaveLength(1);
});

describe('what rbac hears', () => {
  type Told = {
    readonly groups: readonly object[];
    readonly people: readonly { readonly userId: string; readonly groupIds: readonly string[] }[];
    readonly by: unknown;
  };
  const heard = (organizationId: string) =>
    service.rbac.received.flatMap(({ type, payload }) =>
      type === 'directory.changed' && payload.organizationId === organizationId ? [payload as unknown as Told] : [],
    );

  test('each change of a group with its people, once they have an account, and their linking and deletion', async () => {
    const directory = await openDirectory(service, 'Telling');
    const { organizationId, accountId: by, create, createGroup, patchGroup, ask } = directory;
    await directory.prove('telling.example');
    const outside = `out.${newId().slice(-8)}@elsewhere.example`;
    const [{ json: mia }, { json: out }] = [await create('mia@telling.example'), await create(outside)];
    const [row] = await service.query<{ user_id: string }>('SELECT user_id FROM directory_users WHERE id = $1', [mia.id]);
    const userId = row?.user_id ?? '';
    const next = async () => {
      const count = heard(organizationId).length;
      return async () => {
        await until(() => heard(organizationId).length > count);
        return heard(organizationId).at(-1);
      };
    };
    let told = await next();
    const { json: group } = await createGroup('Tellers', [mia.id, out.id]);
    const state = { id: group.id, name: 'Tellers', memberCount: 2, isDeleted: false };
    expect(await told()).toStrictEqual({ organizationId, groups: [state], people: [{ userId, groupIds: [group.id] }], by });
    told = await next();
    await patchGroup(group.id, [{ op: 'remove', path: `members[value eq "${mia.id}"]` }]);
    expect(await told()).toStrictEqual({ organizationId, groups: [{ ...state, memberCount: 1 }], people: [{ userId, groupIds: [] }], by });
    // The invited person accepts: their row is linked, and rbac hears of their groups.
    told = await next();
    const userData = { name: 'Out', password: 'Correct-horse-17-battery' };
    const payload = { token: service.identity.tokenFor(outside), userData };
    await service.app.inject({ method: 'POST', url: '/api/organization-invitations/accept', payload });
    const [linked] = await service.query<{ user_id: string }>('SELECT user_id FROM directory_users WHERE id = $1', [out.id]);
    const accepted = linked?.user_id ?? '';
    expect(await told()).toStrictEqual({ organizationId, groups: [], people: [{ userId: accepted, groupIds: [group.id] }], by: null });
    told = await next();
    await patchGroup(group.id, [{ op: 'add', path: 'members', value: [mia.id] }]);
    expect(await told()).toMatchObject({ people: [{ userId, groupIds: [group.id] }] });
    told = await next();
    await ask('DELETE', `/Users/${mia.id}`);
    expect(await told()).toMatchObject({ groups: [{ memberCount: 1 }], people: [{ userId, groupIds: [] }] });
    told = await next();
    await ask('DELETE', `/Groups/${group.id}`);
    expect(await told()).toMatchObject({ groups: [{ id: group.id, isDeleted: true }], people: [{ userId: accepted, groupIds: [] }] });
  });

  test('that a person who left, and whom the directory asks back, is in no group until they accept', async () => {
    const directory = await openDirectory(service, 'Returning');
    const { organizationId, scope, create, createGroup, patch } = directory;
    await directory.prove('returning.example');
    const { json: mia } = await create('mia@returning.example');
    const [row] = await service.query<{ user_id: string }>('SELECT user_id FROM directory_users WHERE id = $1', [mia.id]);
    const userId = row?.user_id ?? '';
    await createGroup('Returners', [mia.id]);
    const path = `/api/organization-members/${userId}?tenant=organization&scopeId=${scope.id}`;
    const headers = { authorization: `Bearer ${tokenFor(userId)}` };
    expect((await service.app.inject({ method: 'DELETE', url: path, headers })).statusCode).toBe(200);
    for (const value of [false, true]) await patch(mia.id, [{ op: 'replace', path: 'active', value }]);
    await until(() => heard(organizationId).some(({ people }) => people.some((one) => one.userId === userId && one.groupIds.length === 0)));
  });

  test('a large change in portions, none of them larger than a message', () => {
    const people = Array.from({ length: 1_201 }, () => ({ userId: newId(), groupIds: ['a'] }));
    expect(portionsOf(people).map(({ length }) => length)).toStrictEqual([1_000, 201]);
    const busy = Array.from({ length: 3 }, () => ({ userId: newId(), groupIds: Array.from({ length: 3_000 }, () => 'a') }));
    expect(portionsOf(busy).map(({ length }) => length)).toStrictEqual([1, 1, 1]);
    expect(portionsOf([])).toStrictEqual([[]]);
  });
});
