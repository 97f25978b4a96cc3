import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Scope } from '@tessera/kernel/scope';
import { startTestStack, type TestStack } from '../testing/service.ts';

const megabytes = 1024 * 1024;
let stack: TestStack;
let owner: string;
let project: Scope;
beforeAll(async () => {
  stack = await startTestStack();
  const account = await stack.makeAccount();
  owner = stack.token({ userId: account.ownerId });
  project = await stack.makeProject(account.scope);
});
afterAll(() => stack.stop());

function create(path: string, body: object) {
  return stack.request('POST', `/api/${path}`, { token: owner, body: { scope: project, ...body } });
}

function ask(field: string, input: string, selection: string, more: object = {}) {
  const query = `query($input: ${input}!) { ${field}(input: $input) { ${field} ${selection} } }`;
  return stack.graphql(query, { input: { scope: project, ...more } }, { token: owner });
}

const refused = { data: null, errors: [{ extensions: { code: 'BAD_USER_INPUT', translationKey: 'errors.answerTooLarge' } }] };

test('a cycle over a resource with 200 actions is refused, and another tenant does not notice', async () => {
  const other = await stack.makeOrganization();
  const list = async () => {
    const begin = performance.now();
    const path = `/api/roles?tenant=organization&scopeId=${other.id}`;
    const { status } = await stack.request('GET', path, { token: stack.token({ userId: other.ownerId }) });
    return { status, ms: performance.now() - begin };
  };
  const actions = Array.from({ length: 200 }, (_, index) => `A${index}`);
  const created = await create('resources', { name: 'Doc', actions, createPermissions: true });
  expect(created.status).toBe(201);
  const cycle = '{ permissions { resource { permissions { resource { permissions { resource { id } } } } } } }';
  const attack = () => ask('resources', 'ResourcesInput', cycle, { ids: [created.data['id']] });
  expect((await attack()).json).toMatchObject(refused);
  const before = process.memoryUsage().rss;
  const [answers, others] = await Promise.all([
    Promise.all(Array.from({ length: 5 }, attack)),
    Promise.all(Array.from({ length: 5 }, list)),
  ]);
  for (const { json } of answers) expect(json).toMatchObject(refused);
  expect(others.map(({ status }) => status)).toStrictEqual([200, 200, 200, 200, 200]);
  expect(Math.max(...others.map(({ ms }) => ms))).toBeLessThan(2_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(5 * 50 * megabytes);
});

test('related entities that are few but large are refused before they are in memory', async () => {
  const text = 'x'.repeat(60 * 1024);
  const groups = await Promise.all(
    Array.from({ length: 30 }, (_, index) => create('groups', { name: `Group ${index}`, metadata: { text: `${index}${text}` } })),
  );
  const groupIds = groups.map(({ data }) => data['id']);
  await Promise.all(Array.from({ length: 30 }, (_, index) => create('roles', { name: `Role ${index}`, groupIds })));
  // 900 groups of 60 KiB each.
  const { json } = await ask('roles', 'RolesInput', '{ groups { id } }');
  expect(json['errors']?.map((error) => error['extensions']?.['code'])).toContain('BAD_USER_INPUT');
  // 30 groups are 1.8 MB, as often as they are asked for.
  const page = await ask('groups', 'GroupsInput', '{ a: metadata b: metadata c: metadata d: metadata e: metadata }');
  expect(page.json).toMatchObject(refused);
  expect((await ask('groups', 'GroupsInput', '{ metadata }')).json['errors']).toBeUndefined();
});
