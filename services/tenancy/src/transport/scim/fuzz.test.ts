/** Filters and patches of any words and values. fast-check prints the seed of what fails. */
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openDirectory } from '../../testing/scim.ts';
import { openTestService } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());
const directory = await openDirectory(service);
const ada = await directory.create('ada@elsewhere.example', { title: 'Dr', externalId: 'E1', active: false });
const path = `/Users/${ada.json.id}`;

const names = ['userName', 'emails', 'emails.value', 'name.givenName', 'active', 'meta.created', 'id', 'title', '__proto__', 'constructor'];
const word = fc.oneof(
  fc.constantFrom(
    ...names,
    'eq',
    'ne',
    'co',
    'pr',
    'gt',
    'and',
    'or',
    'not',
    '(',
    ')',
    '[',
    ']',
    '"',
    '\\',
    'true',
    'null',
    '1e999',
    '.',
    ':',
  ),
  fc.string({ maxLength: 12, unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.string({ maxLength: 8 }),
);
const filters = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '));

test('a filter of any words is answered, or refused as invalidFilter', async () => {
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      const { status, json } = await directory.filtered(filter);
      expect([200, 400]).toContain(status);
      if (status === 400) expect(json.scimType).toBe('invalidFilter');
    }),
    { numRuns: 40 },
  );
});

test('a filter of 10 kB, and one of depth 50, are refused', async () => {
  const long = `userName eq "${'x'.repeat(10_240)}"`;
  const deep = `${'('.repeat(50)}title pr${')'.repeat(50)}`;
  const negated = `${'not ('.repeat(50)}title pr${')'.repeat(50)}`;
  const nested = `${'title pr and ('.repeat(50)}title pr${')'.repeat(50)}`;
  for (const filter of [long, deep, negated, nested]) {
    const { status, json } = await directory.filtered(filter);
    expect([status, json.scimType]).toStrictEqualFor(filter.slice(0, 40), [400, 'invalidFilter']);
  }
});

const paths = fc.oneof(
  fc.constantFrom(...names, 'emails[type eq "work"].value', 'emails[value co "@"]', 'name', 'prototype', 'toString', 'active.value', ''),
  filters.map((filter) => `emails[${filter}]`),
  fc.string({ maxLength: 20, unit: 'binary' }),
);
const values = fc.oneof(
  fc.constantFrom<unknown>(null, true, 'False', '', 0, [], {}, { value: 'x' }, [{ value: 'a@b.example', primary: 'True' }]),
  fc.json({ maxDepth: 4 }).map((text): unknown => JSON.parse(text)),
  fc.string({ maxLength: 40, unit: 'binary' }),
);
const operations = fc.array(
  fc.record(
    { op: fc.constantFrom<unknown>('add', 'Replace', 'REMOVE', 'move', 7, null), path: fc.oneof(paths, values), value: values },
    { requiredKeys: [] },
  ),
  { maxLength: 6 },
);

test('a patch of anything is made whole or not at all, and changes no prototype', async () => {
  await fc.assert(
    fc.asyncProperty(operations, async (all) => {
      const before = (await directory.ask('GET', path)).json;
      const { status, json } = await directory.patch(ada.json.id, [
        { op: 'replace', path: 'nickName', value: 'half' },
        { op: 'remove', path: 'nickName' },
        ...all,
        { op: 'replace', path: 'active', value: false },
      ]);
      expect([200, 400, 409]).toContain(status);
      const after = (await directory.ask('GET', path)).json;
      if (status === 200) expect(after).toStrictEqual(json);
      else expect(after).toStrictEqual(before);
      expect([after.id, after.active]).toStrictEqual([ada.json.id, false]);
      expect(Object.keys(Object.prototype)).toStrictEqual([]);
      expect(({} as Readonly<Record<string, unknown>>)['value']).toBeUndefined();
    }),
    { numRuns: 25 },
  );
});

test('a body that is no patch is refused with an error of SCIM, and writes nothing', async () => {
  const before = (await directory.ask('GET', path)).json;
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json({ maxDepth: 3 }), fc.string({ maxLength: 60 })), async (body) => {
      const { status, json } = await directory.ask('PATCH', path, body);
      expect([400, String(status)]).toStrictEqual([status, json.status]);
    }),
    { numRuns: 40 },
  );
  expect((await directory.ask('GET', path)).json).toStrictEqual(before);
});
