import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createClient } from '@tessera/client';
import type { Scope } from '../context.ts';
import { type Made, planImport } from './import.ts';
import { readExported } from './read.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-import-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Item = Record<string, unknown> & { id: string; name?: string };
type Body = Record<string, unknown> & { scope: Scope };

/** Parsed in the realm of the tests: `isDeepStrictEqual` tells arrays of two realms apart. */
function answer(data: unknown): Response {
  const body = JSON.stringify({ success: true, data });
  return Object.assign(new Response(body), { json: async () => JSON.parse(body) });
}

/** An installation in memory. `failsAt`: which write is refused. */
function installation({ failsAt = Number.POSITIVE_INFINITY } = {}) {
  const lists = new Map<string, Item[]>();
  const writes: string[] = [];
  const inScope = (path: string, id: string) => {
    const known = lists.get(`${path} ${id}`) ?? [];
    lists.set(`${path} ${id}`, known);
    return known;
  };
  const builtIn = (path: string, id: string, items: readonly Record<string, unknown>[]) => {
    const known = inScope(path, id);
    if (known.length === 0) known.push(...items.map((item) => ({ id: randomUUID(), isBuiltIn: true, updatedAt: '', ...item })));
    return known;
  };
  const list = (path: string, id: string): Item[] => {
    if (path === 'roles' && !id.includes(':')) return builtIn(path, id, [{ name: 'Owner' }, { name: 'Viewer' }]);
    if (path === 'resources') return builtIn(path, id, [{ name: 'Role', slug: 'Role', actions: ['Read'] }]);
    return inScope(path, id);
  };
  const found = (id: unknown) => [...lists.values()].flat().find((item) => item.id === id);
  const create = (path: string, { scope, ...fields }: Body): Item => {
    writes.push(`${path} ${String(fields['name'] ?? fields['email'])}`);
    const item: Item = { isBuiltIn: false, updatedAt: '', ...fields, id: randomUUID() };
    for (const name of ['tags', 'permissions', 'groups'])
      item[name] = ((fields[`${name.slice(0, -1)}Ids`] ?? []) as string[]).map((id) => ({ name: found(id)?.name }));
    if ('resourceId' in fields) item['resource'] = found(fields['resourceId']);
    if (path === 'project-apps')
      Object.assign(item, { mayAct: fields['mayAct'] ?? [], clientId: `client-${String(fields['name'])}`, clientSecret: 'once' });
    const at = path === 'organization-invitations/invite' ? 'organization-members' : path;
    list(at, scope.id).push(item);
    return item;
  };
  const client = createClient({
    baseUrl: 'https://second.example.com',
    session: async () => 'token',
    fetch: async (address, { method = 'GET', body } = {}) => {
      const { pathname, searchParams } = new URL(address);
      const path = pathname.replace('/api/', '');
      if (method === 'POST' && writes.length + 1 === failsAt) {
        failsAt = Number.POSITIVE_INFINITY;
        return Response.json({ error: 'no', code: 'FORBIDDEN' }, { status: 403 });
      }
      if (method === 'POST') return answer(create(path, JSON.parse(String(body))));
      if (path === 'me') return answer({ email: 'olga@example.com' });
      if (path.startsWith('organizations/')) return answer(found(path.split('/')[1]));
      const items = list(path, searchParams.get('scopeId') ?? '');
      return answer({ items, totalCount: items.length, hasNextPage: false });
    },
  });
  return { client, writes, list };
}

const write = (name: string, ...lines: readonly unknown[]) =>
  writeFileSync(join(folder, name), lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));

const projectId = '01890a5d-ac96-774b-bcce-b302099a8057';
const viewer = { id: '01890a5d-ac96-774b-bcce-b302099a8058', name: 'Viewer' };

function writeExport(): void {
  write('contents.json', { version: 1, scope: 'organization:o' });
  write('organization.json', {
    name: 'Acme',
    metadata: { plan: 'gold' },
    security: { requireSecondFactor: false, maxSessionAgeMinutes: null },
  });
  write('tags.ndjson', { name: 'key', color: 'red' });
  write('permissions.ndjson', { name: 'see roles', action: 'Read', resource: { slug: 'Role' }, condition: null, tags: [{ name: 'key' }] });
  write('groups.ndjson', { name: 'seers', permissions: [{ name: 'see roles' }], tags: [] });
  write('roles.ndjson', { ...viewer, isBuiltIn: true }, { name: 'Auditor', isBuiltIn: false, groups: [{ name: 'seers' }], tags: [] });
  write(
    'members.ndjson',
    { name: 'Olga', email: 'olga@example.com', role: { name: 'Owner' } },
    { name: 'Vera', email: 'Vera@example.com', role: { name: 'Viewer' } },
    { name: 'Made Here', email: null, role: { name: 'Viewer' } },
    { name: 'Otto', email: 'otto@example.com', role: { name: 'Owner' } },
  );
  write(
    'invitations.ndjson',
    { email: 'ivo@example.com', roleId: viewer.id, status: 'pending' },
    { email: 'gone@example.com', roleId: viewer.id, status: 'revoked' },
  );
  write('webhooks.ndjson', { url: 'https://example.com/hooks' });
  write('domains.ndjson', { domain: 'example.com', status: 'verified' });
  write('projects.ndjson', { id: projectId, name: 'Shop', description: null, metadata: {} });
  mkdirSync(join(folder, 'projects', projectId), { recursive: true });
  const project = join('projects', projectId);
  write(join(project, 'keys.ndjson'), { name: 'robot' });
  write(join(project, 'users.ndjson'), { name: 'A' }, { name: 'B' });
  write(
    join(project, 'tessera.yaml'),
    ['version: 1', 'tags: [{ name: beta, color: blue }]', `apps: [{ name: web, type: web, signUpRole: ${viewer.id}, tags: [beta] }]`].join(
      '\n',
    ),
  );
}

const account = { tenant: 'account', id: 'a' } as const;
type Server = ReturnType<typeof installation>;

async function plan({ client }: Server, scope: Scope = account) {
  return planImport({
    client,
    scope,
    exported: await readExported(folder),
    hasPeople: true,
    patience: { note: () => undefined, wait: async () => undefined },
  });
}
async function take(server: Server, scope: Scope = account): Promise<Made> {
  const { changes, place } = await plan(server, scope);
  const made: Made = { place, secrets: [] };
  for (const change of changes) await change.take(made);
  return made;
}
const linesOf = async (server: Server) => (await plan(server)).changes.flatMap(({ lines }) => lines);

test('a plan says what will be made, names what cannot travel, and makes nothing', async () => {
  writeExport();
  const server = installation();
  expect(await linesOf(server)).toStrictEqual([
    '+ organization Acme',
    '+ 1 tags, 1 permissions, 1 groups, 1 roles',
    '+ project Shop with 1 tags, 1 apps',
    '+ invitation of vera@example.com as Viewer, by mail',
    '+ invitation of ivo@example.com as Viewer, by mail',
  ]);
  expect((await readExported(folder)).left).toStrictEqual([
    'Shop: API key robot, because its secret is not known',
    'Shop: 2 people of the project; they join it by signing in to its apps',
    'Shop: signUpRole Viewer of web, which is not of the project',
    'olga@example.com, Owner: this role is given by no invitation',
    'member Made Here: has no address to be invited by',
    'otto@example.com, Owner: this role is given by no invitation',
    'webhook https://example.com/hooks, because its secret is not known',
    'domain example.com, because its record proves it in the other installation',
  ]);
  expect(server.writes).toStrictEqual([]);
});

test('an import makes all of it with the references of the new installation, and a second one nothing', async () => {
  writeExport();
  const server = installation();
  const { place, secrets } = await take(server);
  expect(secrets).toStrictEqual([{ project: 'Shop', app: 'web', clientId: 'client-web', clientSecret: 'once' }]);
  const made = server.list('roles', place?.id ?? '').find(({ name }) => name === 'Auditor');
  expect(made?.['groups']).toStrictEqual([{ name: 'seers' }]);
  expect(server.list('permissions', place?.id ?? '')[0]?.['resource']).toMatchObject({ slug: 'Role', isBuiltIn: true });
  expect(server.list('organization-members', place?.id ?? '').map(({ email }) => email)).toStrictEqual([
    'vera@example.com',
    'ivo@example.com',
  ]);
  expect(await linesOf(server)).toStrictEqual([]);
});

test('one that was interrupted anywhere goes on from there and makes nothing twice', async () => {
  writeExport();
  const whole = installation();
  await take(whole);
  for (let failsAt = 1; failsAt <= whole.writes.length; failsAt += 1) {
    const server = installation({ failsAt });
    await expect(take(server)).rejects.toThrow('no');
    await take(server);
    expect([...server.writes].sort()).toStrictEqual([...whole.writes].sort());
  }
});

test('a folder without its end is none, and an account takes no organization', async () => {
  await expect(readExported(folder)).rejects.toThrow('is no whole export');
  writeExport();
  await expect(plan(installation(), { tenant: 'organizationProject', id: 'o:p' })).rejects.toThrow('Where to?');
  write('contents.json', { version: 1, scope: 'account:a' });
  await expect(plan(installation(), { tenant: 'organization', id: 'o' })).rejects.toThrow('export of an account');
  write('tags.ndjson', '{');
  write('contents.json', { version: 1, scope: 'organization:o' });
  await expect(readExported(folder)).rejects.toThrow('line 1 is no JSON');
});
