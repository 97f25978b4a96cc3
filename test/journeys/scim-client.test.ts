/**
 * A client of another implementation: the messages are SCIMMY's, its schemas read the answers, and
 * its filters and patches say what they must be. It has no transport, so the requests go by fetch.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import SCIMMY from 'scimmy';
import { type ConnectedDirectory, connectDirectory, proveDomain } from '../support/directory.ts';
import { openStack } from '../support/shared-stack.ts';
import { createOrganization, createPerson } from '../support/world.ts';

const { BulkRequest, BulkResponse, ErrorResponse, ListResponse, PatchOp, SearchRequest } = SCIMMY.Messages;
const { EnterpriseUser, Group, User } = SCIMMY.Schemas;
// The types of the package want an instance; its documentation gives the class.
User.extend(EnterpriseUser as unknown as SCIMMY.Types.Schema);

type Json = Readonly<Record<string, unknown>>;
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value));
const domain = `${randomUUID().slice(0, 8)}.example`;

let directory: ConnectedDirectory;
beforeAll(async () => {
  const stack = await openStack();
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner);
  await proveDomain(stack, organization, domain);
  directory = await connectDirectory(stack.url, owner, organization);
});

const userOf = (name: string, more: object = {}) =>
  plain(
    new User(
      {
        schemas: [User.id, EnterpriseUser.id],
        userName: `${name}@${domain}`,
        externalId: randomUUID(),
        active: true,
        name: { givenName: name, familyName: 'Lovelace' },
        emails: [
          { value: `${name}@${domain}`, type: 'work', primary: true },
          { value: `${name}@home.example`, type: 'home' },
        ],
        [EnterpriseUser.id]: { department: 'R&D', employeeNumber: '7' },
        ...more,
      },
      'in',
    ),
  );

/** As SCIMMY reads it: wrong types, names and missing values are errors of it. */
const readUser = (json: object) => plain(new User(plain(json), 'both'));

/** SCIMMY throws an error message that it has read. */
function errorOf(json: object): object | undefined {
  try {
    new ErrorResponse(plain(json));
    return undefined;
  } catch (error) {
    const { status, scimType } = error as SCIMMY.Types.SCIMError;
    return { status, scimType };
  }
}

async function create(name: string, more: object = {}): Promise<Json> {
  return directory.needed('POST', '/Users', userOf(name, more));
}

/** Without what the server adds. */
function said({ meta: _meta, id: _id, groups: _groups, ...rest }: Json): Json {
  return rest;
}

describe('people', () => {
  test('are created, and read as SCIMMY’s schemas read them', async () => {
    const sent = userOf('ada');
    const made = await directory.needed('POST', '/Users', sent);
    expect(readUser(made)).toStrictEqual({ ...made, meta: expect.objectContaining({ resourceType: 'User', version: 'W/"1"' }) });
    const { meta: _, ...wanted } = sent;
    expect(said(made)).toStrictEqual(wanted);
    const list = new ListResponse(await directory.needed('GET', `/Users?filter=${encodeURIComponent(`userName eq "ada@${domain}"`)}`));
    expect([list.totalResults, list.Resources.map(({ id }) => id)]).toStrictEqual([1, [made.id]]);
    const { status, json } = await directory.ask('POST', '/Users', sent);
    expect([status, errorOf(json)]).toStrictEqual([409, { status: '409', scimType: 'uniqueness' }]);
  });

  const patches: readonly (readonly [string, readonly object[]])[] = [
    ['a replacement by a path', [{ op: 'replace', path: 'name.givenName', value: 'Augusta' }]],
    ['a replacement with a filter', [{ op: 'replace', path: 'emails[type eq "home"].value', value: 'ada@moved.example' }]],
    ['a removal with a filter', [{ op: 'remove', path: 'emails[type eq "home"]' }]],
    ['an addition without a path', [{ op: 'add', value: { title: 'Countess', nickName: 'Ada' } }]],
    ['an addition to a list', [{ op: 'add', path: 'phoneNumbers', value: [{ value: '+44 20', type: 'work' }] }]],
    ['an attribute of the extension', [{ op: 'replace', path: `${EnterpriseUser.id}:department`, value: 'Engines' }]],
    ['a removal of an attribute', [{ op: 'remove', path: 'name.familyName' }]],
    [
      'several in order',
      [
        { op: 'add', path: 'title', value: 'First' },
        { op: 'replace', path: 'title', value: 'Second' },
        { op: 'remove', path: 'emails[type eq "home"]' },
      ],
    ],
  ];
  test.each(patches)('are changed as SCIMMY changes them: %s', async (_name, operations) => {
    const made = await create(randomUUID().slice(0, 8));
    const patch = { schemas: [PatchOp.id], Operations: operations } as ConstructorParameters<typeof PatchOp>[0];
    const message = new PatchOp(patch);
    const wanted = plain(await message.apply(new User(plain(made), 'both')));
    const changed = await directory.needed('PATCH', `/Users/${made['id']}`, plain(message));
    expect(said(changed)).toStrictEqual(said(wanted));
    expect(said(await directory.needed('GET', `/Users/${made['id']}`))).toStrictEqual(said(wanted));
  });

  test('are found as SCIMMY’s filters find them', async () => {
    // SCIMMY finds no attribute by the URN of its schema, and compares with case.
    const userType = `D-${randomUUID().slice(0, 8)}`;
    const extension = { userType };
    const all = [
      await create(`f1-${userType}`, { ...extension, title: 'Dr' }),
      await create(`f2-${userType}`, { ...extension, nickName: 'Zed' }),
    ];
    all.push(await create(`f3-${userType}`, { ...extension, title: 'Prof', active: false }));
    const own = `userType eq "${userType}"`;
    for (const filter of [
      own,
      `${own} and userName sw "f1"`,
      `${own} and title pr`,
      `${own} and not (title pr)`,
      `${own} and (nickName eq "Zed" or title eq "Dr")`,
      `${own} and emails[type eq "home" and value co "home.example"]`,
      `${own} and emails[type eq "other"]`,
      `${own} and active eq false`,
      `${own} and name.familyName ne "Lovelace"`,
      `${own} and emails.type eq "work"`,
    ]) {
      const wanted = new SCIMMY.Types.Filter(filter).match(all as object[]) as Json[];
      const search = plain(new SearchRequest({ schemas: [SearchRequest.id], filter, attributes: ['userName'] }));
      const found = new ListResponse(await directory.needed('POST', '/Users/.search', search));
      expect([filter, found.Resources.map(({ id }) => id).toSorted()]).toStrictEqual([filter, wanted.map(({ id }) => id).toSorted()]);
    }
  });
});

test('groups are created, changed and deleted, and read as SCIMMY’s schemas read them', async () => {
  const [ada, ben] = [await create('g-ada'), await create('g-ben')];
  const body = plain(new Group({ schemas: [Group.id], displayName: 'Engines', members: [{ value: ada['id'], type: 'User' }] }, 'in'));
  const made = await directory.needed('POST', '/Groups', body);
  expect(plain(new Group(plain(made), 'both'))).toMatchObject({ displayName: 'Engines', members: [{ value: ada['id'], type: 'User' }] });
  const add = new PatchOp({ schemas: [PatchOp.id], Operations: [{ op: 'add', path: 'members', value: [{ value: ben['id'] }] }] });
  await directory.needed('PATCH', `/Groups/${made.id}`, plain(add));
  const remove = new PatchOp({ schemas: [PatchOp.id], Operations: [{ op: 'remove', path: `members[value eq "${ada['id']}"]` }] });
  await directory.needed('PATCH', `/Groups/${made.id}`, plain(remove));
  const read = new Group(await directory.needed('GET', `/Groups/${made.id}`), 'both');
  expect(read.members?.map(({ value }) => value)).toStrictEqual([ben['id']]);
  expect((await directory.ask('DELETE', `/Groups/${made.id}`)).status).toBe(204);
  const { json } = await directory.ask('GET', `/Groups/${made.id}`);
  expect(errorOf(json)).toStrictEqual({ status: '404', scimType: undefined });
});

test('a bulk request is sent, and SCIMMY finds in its answer what was made', async () => {
  const people = ['one', 'two'].map((bulkId) => ({ method: 'POST', path: '/Users', bulkId, data: userOf(`bulk-${bulkId}`) }));
  const members = people.map(({ bulkId }) => ({ value: `bulkId:${bulkId}` }));
  const group = { method: 'POST', path: '/Groups', bulkId: 'all', data: { schemas: [Group.id], displayName: 'All', members } };
  const wrong = { method: 'DELETE', path: `/Users/${randomUUID()}` };
  const message = { schemas: [BulkRequest.id], Operations: [group, ...people, wrong] } as unknown as ConstructorParameters<
    typeof BulkRequest
  >[0];
  const answer = new BulkResponse(await directory.needed('POST', '/Bulk', plain(new BulkRequest(message))));
  const made = answer.resolve();
  expect(answer.Operations.map(({ status }) => status)).toStrictEqual(['201', '201', '201', '404']);
  const read = new Group(await directory.needed('GET', `/Groups/${made.get('all')}`), 'both');
  expect(read.members?.map(({ value }) => value).toSorted()).toStrictEqual([made.get('one'), made.get('two')].toSorted());
});

test('the schemas that are described are those of RFC 7643, as SCIMMY has them', async () => {
  type Described = { readonly name: string; readonly subAttributes?: readonly Described[] } & Json;
  const { Resources } = await directory.needed('GET', '/Schemas');
  const differences: string[] = [];
  const compare = (path: string, ours: readonly Described[], theirs: readonly Described[]) => {
    for (const one of ours) {
      const other = theirs.find(({ name }) => name === one.name);
      if (other === undefined) differences.push(`${path}.${one.name}: unknown`);
      else
        for (const field of ['type', 'multiValued', 'mutability', 'returned'])
          if (one[field] !== other[field]) differences.push(`${path}.${one.name}.${field}: ${one[field]}, ${other[field]}`);
      compare(`${path}.${one.name}`, one.subAttributes ?? [], other?.subAttributes ?? []);
    }
  };
  for (const { definition } of [User, Group, EnterpriseUser]) {
    const theirs = plain(definition.describe()) as { id: string; attributes: Described[] };
    const ours = Resources.find(({ id }: Json) => id === theirs.id);
    compare(String(ours?.name), ours?.attributes ?? [], theirs.attributes);
  }
  // RFC 7643 has no such attribute; here the server writes it.
  expect(differences).toStrictEqual(['Group.members.display.mutability: readOnly, immutable']);
});
