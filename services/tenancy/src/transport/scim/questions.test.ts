/** Filters, pages, attributes, errors and discovery, and what an attacker would send. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { type Directory, enterpriseUrn, openDirectory, patchUrn, userUrn } from '../../testing/scim.ts';
import { openTestService, tokenFor } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

let acme: Directory;
const ids: Record<string, string> = {};

beforeAll(async () => {
  acme = await openDirectory(service);
  const people = [
    ['ada', { displayName: 'Ada Lovelace', name: { givenName: 'Ada', familyName: 'Lovelace' }, title: 'Countess', externalId: 'E1' }],
    [
      'ben',
      { displayName: 'Ben "B" \\ Büchner', name: { givenName: 'Ben', familyName: 'Büchner' }, [enterpriseUrn]: { department: 'Engines' } },
    ],
    [
      'cleo',
      {
        displayName: 'Cleo',
        active: false,
        emails: [
          { value: 'CLEO@home.example', type: 'home', primary: true },
          { value: 'cleo@work.example', type: 'work' },
        ],
      },
    ],
    ['dan', { displayName: 'Dan', title: 'Admiral', [enterpriseUrn]: { department: 'engines', manager: { value: '9' } } }],
  ] as const;
  for (const [name, more] of people) {
    const { json } = await acme.create(`${name}@outside.example`, {
      emails: [{ value: `${name}@outside.example`, type: 'work' }],
      ...more,
    });
    ids[name] = json.id;
  }
});

async function namesOf(filter: string, more = ''): Promise<string> {
  const { status, json } = await acme.filtered(filter, more);
  if (status !== 200) return `${status} ${json.scimType}`;
  const found: { userName: string }[] = json.Resources ?? [];
  return found.map(({ userName }) => userName.split('@')[0]).join(' ');
}

describe('filters', () => {
  const cases: readonly (readonly [filter: string, names: string])[] = [
    ['userName eq "ADA@outside.example"', 'ada'],
    ['USERNAME Eq "ada@outside.example"', 'ada'],
    [`${userUrn}:userName eq "ada@outside.example"`, 'ada'],
    ['externalId eq "E1"', 'ada'],
    ['externalId eq "e1"', ''],
    ['userName eq "nobody"', ''],
    ['userName sw "a" or userName sw "B"', 'ada ben'],
    ['userName co "outside"', 'ada ben cleo dan'],
    ['userName ew "EXAMPLE"', 'ada ben cleo dan'],
    ['title pr', 'ada dan'],
    ['not (title pr)', 'ben cleo'],
    ['title ne "Countess"', 'ben cleo dan'],
    ['title gt "B"', 'ada'],
    ['title le "admiral"', 'dan'],
    ['title eq null', 'ben cleo'],
    ['active eq true', 'ada ben dan'],
    ['active eq "False"', 'cleo'],
    ['active ne true', 'cleo'],
    ['name.familyName eq "lovelace"', 'ada'],
    ['name pr', 'ada ben'],
    ['emails pr', 'ada ben cleo dan'],
    ['emails eq "cleo@home.example"', 'cleo'],
    ['emails.value eq "cleo@WORK.example"', 'cleo'],
    ['emails.type eq "home"', 'cleo'],
    ['emails[type eq "work" and value co "outside"]', 'ada ben dan'],
    ['emails[type eq "work"].value eq "cleo@work.example"', 'cleo'],
    ['emails[type eq "home" and value ew "work.example"]', ''],
    ['emails[primary eq true]', 'cleo'],
    ['emails[not (type eq "work")]', 'cleo'],
    [`${enterpriseUrn}:department eq "Engines"`, 'ben dan'],
    [`${enterpriseUrn}:manager.value eq "9"`, 'dan'],
    [`schemas eq "${enterpriseUrn}"`, 'ben dan'],
    ['meta.resourceType eq "User"', 'ada ben cleo dan'],
    ['meta.created gt "2020-01-01T00:00:00Z"', 'ada ben cleo dan'],
    ['meta.lastModified lt "2020-01-01T00:00:00Z"', ''],
    ['id pr and (userName sw "a" or (userName sw "c"))', 'ada cleo'],
    ['userName sw "a" or userName sw "b" and title pr', 'ada'],
    // JSON escapes are decoded (RFC 7644, section 3.4.2.2).
    [String.raw`displayName eq "Ben \"B\" \\ B\u00fcchner"`, 'ben'],
    [String.raw`displayName co "\\"`, 'ben'],
    ['displayName co "%"', ''],
    [`displayName eq "x' OR '1'='1"`, ''],
    ['id eq "x"', ''],
    // Without a filter: all.
    ['', 'ada ben cleo dan'],
  ];
  test.each(cases)('%s', async (filter, names) => {
    expect(await namesOf(filter)).toBe(names);
  });

  const refused = [
    'shoeSize eq "43"',
    'constructor pr',
    '__proto__ pr',
    'name.constructor pr',
    'userName',
    'userName eq',
    'userName eq ada',
    'userName is "ada"',
    'userName eq "ada',
    'userName eq "a" and',
    'and',
    '(userName pr',
    'userName pr)',
    'not userName pr',
    'userName eq 5',
    'userName eq ["a"]',
    String.raw`userName eq "a\u0000b"`,
    String.raw`userName eq "\x"`,
    'name eq "ada"',
    'active gt true',
    'active eq "maybe"',
    'meta.created gt "yesterday"',
    'meta.created gt "0000-01-01T00:00:00Z"',
    'meta.created lt "+010000-01-01T00:00:00Z"',
    'emails[type eq "work"',
    'emails[shoe eq "x"]',
    'emails[emails[type pr]]',
    'userName[value pr]',
    'userName eq "a" userName eq "b"',
    'userName eq "a"; DROP TABLE directory_users',
    `${'('.repeat(50)}userName pr${')'.repeat(50)}`,
    Array.from({ length: 101 }, () => 'title pr').join(' and '),
    `userName eq "${'a'.repeat(10_000)}"`,
  ];
  test.each(refused)('%s is 400 invalidFilter', async (filter) => {
    const { status, json } = await acme.ask('POST', '/Users/.search', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter,
    });
    expect([status, json.status, json.scimType]).toStrictEqual([400, '400', 'invalidFilter']);
  });
});

describe('pages and order', () => {
  test('by index: 1 is the first, count has bounds, and what lies beyond is empty', async () => {
    const page = async (more: string) => {
      const { json } = await acme.ask('GET', `/Users?sortBy=userName${more}`);
      const found: { userName: string }[] = json.Resources ?? [];
      return [json.totalResults, json.startIndex, json.itemsPerPage, found.map(({ userName }) => userName[0]).join('')];
    };
    expect(await page('')).toStrictEqual([4, 1, 4, 'abcd']);
    expect(await page('&startIndex=2&count=2')).toStrictEqual([4, 2, 2, 'bc']);
    expect(await page('&startIndex=0&count=1')).toStrictEqual([4, 1, 1, 'a']);
    expect(await page('&startIndex=-7&count=1')).toStrictEqual([4, 1, 1, 'a']);
    expect(await page('&count=0')).toStrictEqual([4, 1, 0, '']);
    expect(await page('&count=-3')).toStrictEqual([4, 1, 0, '']);
    expect(await page('&startIndex=99')).toStrictEqual([4, 99, 0, '']);
    expect(await page('&startIndex=999999999999999')).toStrictEqual([4, 1_000_000_000, 0, '']);
    expect(await page('&count=5000&sortOrder=descending')).toStrictEqual([4, 1, 4, 'dcba']);
    for (const bad of ['count=x', 'startIndex=1.5', 'startIndex=1&startIndex=2', 'sortOrder=up', 'count=1&cursor=&startIndex=1'])
      expect((await acme.ask('GET', `/Users?${bad}`)).status).toStrictEqualFor(bad, 400);
    expect((await acme.ask('GET', '/Users?sortBy=shoe')).json.scimType).toBe('invalidPath');
  });

  test.each(['', '&sortBy=title', '&sortBy=emails', '&sortBy=meta.created&sortOrder=descending', '&sortBy=active'])(
    'by cursor (RFC 9865): each once, to the end: %s',
    async (order) => {
      const found: string[] = [];
      let cursor: string | undefined = '';
      do {
        const { status, json } = await acme.ask('GET', `/Users?count=1&cursor=${cursor}${order}`);
        expect([status, json.totalResults, json.startIndex]).toStrictEqual([200, 4, undefined]);
        found.push(...(json.Resources ?? []).map(({ id }: { id: string }) => id));
        cursor = json.nextCursor;
      } while (cursor !== undefined);
      expect(found.toSorted()).toStrictEqual(Object.values(ids).toSorted());
    },
  );

  test('a cursor is no longer than one may be, whatever the list is ordered by', async () => {
    const made = [];
    for (const at of [1, 2])
      made.push(await acme.create(`long${at}@outside.example`, { active: false, title: `${'\u0001'.repeat(1_900)}${at}` }));
    const question = `filter=${encodeURIComponent('userName sw "long"')}&sortBy=title&count=1`;
    const { json } = await acme.ask('GET', `/Users?${question}&cursor=`);
    expect(json.nextCursor.length).toBeLessThan(3_000);
    const next = await acme.ask('GET', `/Users?${question}&cursor=${json.nextCursor}`);
    expect([next.status, next.json.Resources?.length, next.json.nextCursor]).toStrictEqual([200, 1, undefined]);
    expect(next.json.Resources[0].id).not.toBe(json.Resources[0].id);
    for (const { json: one } of made) await acme.ask('DELETE', `/Users/${one.id}`);
  });

  test('a cursor of another question, of another organization, or of nothing, is invalidCursor', async () => {
    const { json } = await acme.ask('GET', '/Users?count=1&cursor=');
    const other = await openDirectory(service);
    for (const { json: refused, status } of [
      await acme.ask('GET', `/Users?count=1&cursor=${json.nextCursor}&sortBy=title`),
      await other.ask('GET', `/Users?count=1&cursor=${json.nextCursor}`),
      await acme.ask('GET', '/Users?count=1&cursor=x'),
      await acme.ask('GET', `/Users?cursor=${Buffer.from('["a","b",{}]').toString('base64url')}`),
    ])
      expect([status, refused.scimType]).toStrictEqual([400, 'invalidCursor']);
  });

  test('attributes and excludedAttributes choose, and id and schemas are always there', async () => {
    const keys = async (query: string) =>
      Object.keys((await acme.ask('GET', `/Users/${ids['dan']}?${query}`)).json)
        .toSorted()
        .join(' ');
    expect(await keys('attributes=userName')).toBe('id schemas userName');
    expect(await keys('attributes=USERNAME,emails.type,nothing')).toBe('emails id schemas userName');
    expect(await keys(`attributes=${enterpriseUrn}:department`)).toBe(`id schemas ${enterpriseUrn}`);
    expect(await keys(`excludedAttributes=id,schemas,emails,meta,${enterpriseUrn},title`)).toBe('active displayName id schemas userName');
    const { json } = await acme.ask('GET', `/Users/${ids['dan']}?attributes=emails.type,${enterpriseUrn}:department`);
    expect([json.emails, json[enterpriseUrn]]).toStrictEqual([[{ type: 'work' }], { department: 'engines' }]);
    expect((await acme.ask('GET', `/Users/${ids['dan']}?attributes=id&excludedAttributes=id`)).status).toBe(400);
    const search = await acme.ask('POST', '/.search', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      attributes: ['userName'],
      filter: 'userName sw "c"',
    });
    expect(search.json.Resources).toStrictEqual([{ schemas: [userUrn], id: ids['cleo'], userName: 'cleo@outside.example' }]);
    expect((await acme.ask('GET', '?filter=userName%20sw%20%22c%22')).json.totalResults).toBe(1);
  });
});

describe('PATCH', () => {
  const refused: readonly (readonly [operation: object, scimType: string])[] = [
    [{ op: 'frob', path: 'title', value: 'x' }, 'invalidSyntax'],
    [{ op: 'replace', path: 'title' }, 'invalidValue'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'replace', value: 'x' }, 'invalidValue'],
    [{ op: 'replace', path: 'id', value: newId() }, 'mutability'],
    [{ op: 'replace', path: 'meta.created', value: '2020-01-01T00:00:00Z' }, 'mutability'],
    [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }, 'mutability'],
    [{ op: 'add', path: 'schemas', value: ['x'] }, 'mutability'],
    [{ op: 'replace', path: 'shoeSize', value: '43' }, 'invalidPath'],
    [{ op: 'replace', path: '__proto__', value: {} }, 'invalidPath'],
    [{ op: 'replace', path: 'constructor.prototype', value: {} }, 'invalidPath'],
    [{ op: 'replace', path: 7, value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'name.a.b', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[type eq "none"].value', value: 'x@y.example' }, 'noTarget'],
    [{ op: 'add', path: 'emails[type co "none"].value', value: 'x@y.example' }, 'noTarget'],
    [{ op: 'replace', path: 'emails[type eq "work"', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[shoe eq "work"].value', value: 'x' }, 'invalidFilter'],
    [{ op: 'replace', path: 'title[type eq "work"]', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
    [{ op: 'replace', path: 'active', value: { a: 1 } }, 'invalidValue'],
    [{ op: 'replace', path: 'title', value: { a: 1 } }, 'invalidValue'],
    [{ op: 'replace', path: 'title', value: ['a'] }, 'invalidValue'],
    [{ op: 'replace', path: 'name', value: ['a'] }, 'invalidValue'],
    [{ op: 'replace', path: 'emails', value: [['a@b.example']] }, 'invalidValue'],
    [{ op: 'remove', path: 'userName' }, 'invalidValue'],
    [{ op: 'replace', path: 'userName', value: '' }, 'invalidValue'],
    [{ op: 'add', path: 'emails', value: Array.from({ length: 101 }, (_, at) => ({ value: `a${at}@b.example` })) }, 'invalidValue'],
    [{ op: 'add', path: 'emails', value: ['a@b.example', 'c@d.example'].map((value) => ({ value, primary: true })) }, 'invalidValue'],
    [{ op: 'replace', path: 'title', value: 'x'.repeat(2_001) }, 'invalidValue'],
  ];
  test.each(refused)('%j is %s', async (operation, scimType) => {
    const { status, json } = await acme.patch(ids['dan'] ?? '', [{ op: 'replace', path: 'nickName', value: 'half' }, operation]);
    expect([status, json.scimType]).toStrictEqual([400, scimType]);
    // All operations, or none.
    expect((await acme.ask('GET', `/Users/${ids['dan']}`)).json.nickName).toBeUndefined();
  });

  test('a request of many paths, comparisons or characters in between is refused before they are made', async () => {
    const emails = Array.from({ length: 100 }, (_, at) => ({ value: `a${at}@b.example` }));
    const { json } = await acme.create('many@outside.example', { active: false, emails });
    const filter = Array.from({ length: 100 }, (_, at) => `value co "x${at}"`).join(' or ');
    const one = { op: 'remove', path: `emails[${filter}]` };
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`emails[value eq "a1@b.example" or value eq "${at}"].type`, 'work']));
    const large = Array.from({ length: 20 }, () => ({ value: 'l'.repeat(2_000) }));
    const cases: readonly (readonly [operations: readonly object[], scimType: string])[] = [
      [Array.from({ length: 11 }, () => one), 'tooMany'],
      [Array.from({ length: 11 }, () => ({ op: 'add', path: 'emails', value: emails })), 'tooMany'],
      [[{ op: 'add', value: keys(1_001) }], 'tooMany'],
      [Array.from({ length: 501 }, () => ({ op: 'replace', value: { title: 'x', nickName: 'y' } })), 'tooMany'],
      [
        [
          { op: 'add', path: 'photos', value: large },
          { op: 'remove', path: 'photos' },
        ],
        'invalidValue',
      ],
    ];
    for (const [operations, scimType] of cases) {
      const { status, json: refused } = await acme.patch(json.id, operations);
      expect([status, refused.scimType]).toStrictEqual([400, scimType]);
    }
    expect((await acme.patch(json.id, [one])).json.emails).toHaveLength(100);
    expect((await acme.ask('DELETE', `/Users/${json.id}`)).status).toBe(204);
  });

  test('a prototype is no attribute, in no place', async () => {
    const raw = (value: string) =>
      acme.ask('PATCH', `/Users/${ids['dan']}`, `{"schemas":["${patchUrn}"],"Operations":[{"op":"add","value":${value}}]}`);
    expect((await raw('{"__proto__":{"polluted":true}}')).status).toBe(400);
    expect((await raw('{"constructor":{"prototype":{"polluted":true}}}')).status).toBe(400);
    expect((await raw('{"toString":"x","hasOwnProperty":"y"}')).status).toBe(200);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(
      (await acme.ask('POST', '/Users', `{"schemas":["${userUrn}"],"userName":"p@q.example","__proto__":{"active":false}}`)).status,
    ).toBe(400);
  });

  test('one value is primary: a new one takes it from the others', async () => {
    const { json } = await acme.create('prim@outside.example', { active: false, emails: [{ value: 'one@x.example', primary: true }] });
    const added = await acme.patch(json.id, [{ op: 'add', path: 'emails', value: [{ value: 'two@x.example', primary: true }] }]);
    expect(added.json.emails).toStrictEqual([
      { value: 'one@x.example', primary: false },
      { value: 'two@x.example', primary: true },
    ]);
    const again = await acme.patch(json.id, [{ op: 'replace', path: 'emails[value eq "ONE@x.example"].primary', value: 'True' }]);
    expect(again.json.emails.map(({ primary }: { primary: boolean }) => primary)).toStrictEqual([true, false]);
    const left = await acme.patch(json.id, [{ op: 'remove', path: 'emails[value sw "two"]' }]);
    expect(left.json.emails).toStrictEqual([{ value: 'one@x.example', primary: true }]);
    expect((await acme.ask('DELETE', `/Users/${json.id}`)).status).toBe(204);
  });
});

describe('the door', () => {
  const get = (token: string | undefined, path = `/scim/v2/${acme.organizationId}/Users`) =>
    service.app.inject({ method: 'GET', url: path, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });

  test('only a service account of this organization comes in, and others do not learn whether it exists', async () => {
    const anonymous = await get(undefined);
    expect([anonymous.statusCode, anonymous.headers['www-authenticate'], anonymous.json().status]).toStrictEqual([401, 'Bearer', '401']);
    expect((await get('nonsense')).statusCode).toBe(401);
    // An Owner has the permission, and is no directory.
    expect((await get(tokenFor(acme.owner.id))).statusCode).toBe(403);
    const other = await openDirectory(service);
    const bodies = new Set<string>();
    for (const id of [acme.organizationId, newId(), 'x', acme.organizationId.toUpperCase()]) {
      const refused = await get(other.token, `/scim/v2/${id}/Users`);
      expect(refused.statusCode).toStrictEqualFor(id, 403);
      bodies.add(refused.body);
    }
    expect(bodies.size).toBe(1);
    for (const path of [`/Users/${ids['ada']}`, `/Users/${newId()}`, '/Users/x'])
      expect((await other.ask('GET', path)).status).toStrictEqualFor(path, 404);
    for (const method of ['PUT', 'PATCH'] as const) {
      const body =
        method === 'PUT'
          ? { schemas: [userUrn], userName: 'x@y.example' }
          : { schemas: [patchUrn], Operations: [{ op: 'remove', path: 'title' }] };
      expect((await other.ask(method, `/Users/${ids['ada']}`, body)).status).toStrictEqualFor(method, 404);
    }
    expect((await other.ask('DELETE', `/Users/${ids['ada']}`)).status).toBe(404);
    expect((await other.filtered('externalId eq "E1"')).json.totalResults).toBe(0);
  });

  test('discovery is the same for everybody, and has no filter', async () => {
    for (const path of [
      'ServiceProviderConfig',
      'ResourceTypes',
      'ResourceTypes/User',
      'Schemas',
      `Schemas/${userUrn}`,
      `Schemas/${enterpriseUrn}`,
    ]) {
      const found = await get(undefined, `/scim/v2/${newId()}/${path}`);
      expect([found.statusCode, found.headers['content-type']]).toStrictEqualFor(path, [200, 'application/scim+json; charset=utf-8']);
    }
    const config = (await get(undefined, `/scim/v2/${newId()}/ServiceProviderConfig`)).json();
    expect([config.patch, config.bulk, config.filter, config.sort, config.etag, config.changePassword]).toStrictEqual([
      { supported: true },
      { supported: true, maxOperations: 100, maxPayloadSize: 1_048_576 },
      { supported: true, maxResults: 200 },
      { supported: true },
      { supported: true },
      { supported: false },
    ]);
    expect((await get(undefined, `/scim/v2/${newId()}/Schemas?filter=x`)).statusCode).toBe(403);
    expect((await get(undefined, `/scim/v2/${newId()}/Schemas/urn:none`)).statusCode).toBe(404);
  });

  test('what is no request of SCIM has an error of SCIM', async () => {
    const bodies: readonly (readonly [string | object, string | undefined, number, string | undefined])[] = [
      ['{', undefined, 400, 'invalidSyntax'],
      ['[]', undefined, 400, 'invalidSyntax'],
      ['"x"', undefined, 400, 'invalidSyntax'],
      [{}, undefined, 400, 'invalidValue'],
      [{ schemas: [userUrn] }, undefined, 400, 'invalidValue'],
      [{ schemas: userUrn, userName: 'x@y.example' }, undefined, 400, 'invalidValue'],
      [{ schemas: [userUrn], userName: ['x@y.example'] }, undefined, 400, 'invalidValue'],
      [{ schemas: [userUrn], userName: 'x@y.example', active: 'no' }, undefined, 400, 'invalidValue'],
      [{ schemas: [userUrn], userName: 'x@y.example', name: 'Ada' }, undefined, 400, 'invalidValue'],
      ['x=y', 'application/x-www-form-urlencoded', 415, undefined],
      [`{"a":"${'x'.repeat(1_100_000)}"}`, undefined, 413, undefined],
    ];
    for (const [body, type, status, scimType] of bodies) {
      const answer = await acme.ask('POST', '/Users', body, type === undefined ? {} : { 'content-type': type });
      expect([answer.status, answer.json.status, answer.json.scimType]).toStrictEqualFor(String(body).slice(0, 80), [
        status,
        String(status),
        scimType,
      ]);
    }
    for (const [method, path] of [
      ['GET', '/Me'],
      ['GET', '/Planets'],
      ['GET', `/Users/${newId()}`],
      ['DELETE', '/Users'],
      ['POST', `/Users/${newId()}`],
      ['GET', '/Users/.search'],
      ['GET', `/Users/${newId()}/x`],
    ] as const)
      expect((await acme.ask(method, path)).status).toStrictEqualFor(`${method} ${path}`, 404);
  });
});
