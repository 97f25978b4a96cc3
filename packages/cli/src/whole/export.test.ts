import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createClient } from '@tessera/client';
import { exportWhole } from './export.ts';

let parent = '';
let folder = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'tessera-export-'));
  folder = join(parent, 'acme');
});
afterEach(() => rmSync(parent, { recursive: true }));

const projectId = '01890a5d-ac96-774b-bcce-b302099a8057';
type Page = { readonly items: readonly object[]; readonly totalCount?: number; readonly hasNextPage?: boolean };
type Serve = (path: string, query: URLSearchParams) => Page | object | undefined;

/** Exports an organization of a server that answers as given, and else with an empty page. */
function exportFrom(serve: Serve, hasAudit = false) {
  const client = createClient({
    baseUrl: 'https://iam.example.com',
    session: async () => 'token',
    fetch: async (address) => {
      const { pathname, searchParams } = new URL(address);
      const found = serve(pathname.replace('/api/', ''), searchParams) ?? { items: [] };
      const data = 'items' in found ? { totalCount: (found as Page).items.length, hasNextPage: false, nextCursor: null, ...found } : found;
      return Response.json({ success: true, data });
    },
  });
  const scope = { tenant: 'organization', id: 'o' } as const;
  return exportWhole({ client, url: 'https://iam.example.com', scope, folder, hasAudit, note: () => undefined });
}

const lines = (name: string) =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('every page of every list, in files of one object a line, for the account of the person alone', async () => {
  const contents = await exportFrom((path, query) => {
    if (path === 'projects') return { items: [{ id: projectId, name: 'Shop' }] };
    if (path === 'api-keys') return { items: [{ id: 'k', clientId: 'c', clientSecret: 'tsk_secret', role: { passwordHash: 'x' } }] };
    if (path === 'organization-members')
      return {
        items: [
          { id: 'a', type: 'member' },
          { id: 'b', type: 'invitation' },
        ],
      };
    if (path === 'webhooks') return { items: [{ id: 'w', url: 'https://example.com/hooks', secret: 'whsec_x' }] };
    if (path === 'domains') return { items: [{ id: 'd', domain: 'example.com', challenge: { name: 'n', value: 'v' } }] };
    if (path !== 'users' || query.get('tenant') !== 'organization') return undefined;
    const page = Number(query.get('page'));
    return { items: [{ id: `u${page}` }], totalCount: 3, hasNextPage: page < 3 };
  });
  expect(lines('users.ndjson')).toStrictEqual([{ id: 'u1' }, { id: 'u2' }, { id: 'u3' }]);
  expect(lines('members.ndjson')).toStrictEqual([{ id: 'a', type: 'member' }]);
  expect(lines(`projects/${projectId}/keys.ndjson`)).toStrictEqual([{ id: 'k', clientId: 'c', role: {} }]);
  for (const name of ['webhooks.ndjson', `projects/${projectId}/webhooks.ndjson`])
    expect(lines(name)).toStrictEqual([{ id: 'w', url: 'https://example.com/hooks' }]);
  expect(lines('domains.ndjson')).toStrictEqual([{ id: 'd', domain: 'example.com', challenge: { name: 'n', value: 'v' } }]);
  expect(contents).toMatchObject({
    scope: 'organization:o',
    changed: [],
    files: { 'users.ndjson': 3, [`projects/${projectId}/roles.ndjson`]: 0 },
  });
  expect(JSON.parse(readFileSync(join(folder, 'contents.json'), 'utf8'))).toStrictEqual(contents);
  expect([statSync(folder).mode & 0o777, statSync(join(folder, 'users.ndjson')).mode & 0o777]).toStrictEqual([0o700, 0o600]);
  expect(existsSync(join(folder, 'audit.ndjson'))).toBe(false);
});

test('the audit log comes by cursor', async () => {
  await exportFrom((path, query) => {
    if (path !== 'audit-events') return undefined;
    const cursor = query.get('cursor');
    return { items: [{ id: cursor ?? 'first' }], nextCursor: cursor === null ? 'second' : null };
  }, true);
  expect(lines('audit.ndjson')).toStrictEqual([{ id: 'first' }, { id: 'second' }]);
});

test('a list that changed while it was read is named', async () => {
  const contents = await exportFrom((path) => (path === 'tags' ? { items: [{ id: 't' }], totalCount: 2, hasNextPage: false } : undefined));
  expect(contents.changed).toStrictEqual(['tags.ndjson']);
});

test('an id that is a path, and a list without end, end the export; it does not look whole then', async () => {
  for (const [serve, said] of [
    [(path: string) => (path === 'projects' ? { items: [{ id: '../../../evil' }] } : undefined), 'whose id is none'],
    [(path: string) => (path === 'roles' ? { items: [], hasNextPage: true } : undefined), 'an empty page'],
    [(path: string) => (path === 'audit-events' ? { items: [{}], nextCursor: 'same' } : undefined), 'the same page twice'],
  ] as const) {
    await expect(exportFrom(serve, true)).rejects.toThrow(said);
    expect(existsSync(join(folder, 'contents.json'))).toBe(false);
    expect(readdirSync(parent)).toStrictEqual(['acme']);
    rmSync(folder, { recursive: true });
  }
});

test('a folder with something in it is not written to', async () => {
  await exportFrom(() => undefined);
  writeFileSync(join(folder, 'contents.json'), 'kept');
  await expect(exportFrom(() => undefined)).rejects.toThrow('is not empty');
  expect(readFileSync(join(folder, 'contents.json'), 'utf8')).toBe('kept');
});
