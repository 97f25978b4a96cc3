/** A tenant as code: apply and export of the packed tessera command, on a whole stack. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { openWorkplace, type Workplace } from '../../support/packages/workplace.ts';
import { builtInRole, createProject, dataOf } from '../../support/world.ts';

const cleanup = new AsyncDisposableStack();
let place: Workplace;

beforeAll(async () => {
  place = await openWorkplace(cleanup);
}, 240_000);
afterAll(() => cleanup.disposeAsync());

const manifest = `version: 1
tags:
  - { name: finance, color: blue }
resources:
  - { slug: invoice, name: Invoice, actions: [read, pay], tags: [finance] }
permissions:
  - { name: read invoices, resource: invoice, action: read }
  - name: pay small invoices
    resource: invoice
    action: pay
    condition: { NumericLessThan: { resource.amount: 100 } }
groups:
  - { name: Accounting, permissions: [pay small invoices, read invoices] }
roles:
  - { name: Accountant, description: Keeps the books, groups: [Accounting] }
apps:
  - { name: Books, type: web, redirectUris: ['https://books.example/callback'], scopes: ['invoice:read'] }
  - { name: Nightly, type: machine, role: Accountant }
`;

describe('a tenant as code', () => {
  test('an app names, by their names, those that may act by its tokens; export gives the names back', async () => {
    const { tenant, id } = await createProject(place.owner, place.world.birch, 'Agents as code');
    const terminal = place.asOwner({ TESSERA_SCOPE: `${tenant}:${id}` });
    const redirect = `redirectUris: ['https://books.example/callback']`;
    const apps = `version: 1
apps:
  - { name: Books, type: web, ${redirect}, mayAct: [Agent] }
  - { name: Agent, type: web, ${redirect}, grantTypes: [authorization_code, 'urn:ietf:params:oauth:grant-type:token-exchange'] }
`;
    writeFileSync(join(place.folder, 'agents.yaml'), apps);
    const made = await terminal.run('apply', '-f', 'agents.yaml', '--yes', '--json');
    expect(made.code).toStrictEqualFor(made.err, 0);
    const ids = new Map(JSON.parse(made.out).apps.map(({ app, clientId }: { app: string; clientId: string }) => [app, clientId]));
    const { items } = dataOf(await place.owner.client.get(`/api/project-apps?tenant=${tenant}&scopeId=${id}`, place.owner.token));
    expect(items.find(({ name }: { name: string }) => name === 'Books').mayAct).toStrictEqual([ids.get('Agent')]);
    expect((await terminal.run('export', '-o', 'agents-out.yaml')).code).toBe(0);
    const { apps: exported } = parse(readFileSync(join(place.folder, 'agents-out.yaml'), 'utf8'));
    expect(exported).toContainEqual(expect.objectContaining({ name: 'Books', mayAct: ['Agent'] }));
    expect((await terminal.run('apply', '-f', 'agents-out.yaml', '--yes')).out).toBe('Nothing to change.\n');
  });

  test('apply makes what the manifest says, once; export gives it back; prune removes only what it is told to', async () => {
    const { tenant, id } = await createProject(place.owner, place.world.birch, 'As code');
    const terminal = place.asOwner({ TESSERA_SCOPE: `${tenant}:${id}` });
    const write = (name: string, text: string) => writeFileSync(join(place.folder, name), text);
    write('tessera.yaml', manifest);

    const plan = await terminal.run('apply', '-f', 'tessera.yaml', '--dry-run');
    expect([plan.code, plan.out]).toStrictEqual([4, '8 changes, none made.\n']);
    const unasked = await terminal.run('apply', '-f', 'tessera.yaml');
    expect([unasked.code, unasked.err]).toStrictEqual([2, expect.stringContaining('--yes')]);
    const made = await terminal.run('apply', '-f', 'tessera.yaml', '--yes', '--json');
    expect(made.code).toStrictEqualFor(made.err, 0);
    const { apps } = JSON.parse(made.out);
    expect(apps).toHaveLength(2);
    expect(apps[0]).toStrictEqual({ app: 'Books', clientId: expect.any(String), clientSecret: expect.any(String) });

    const again = await terminal.run('apply', '-f', 'tessera.yaml', '--yes');
    expect([again.code, again.out]).toStrictEqual([0, 'Nothing to change.\n']);

    const exported = await terminal.run('export', '-o', 'exported.yaml');
    expect(exported.code).toStrictEqualFor(exported.err, 0);
    const state = parse(readFileSync(join(place.folder, 'exported.yaml'), 'utf8'));
    for (const [kind, entries] of Object.entries(parse(manifest)).filter(([kind]) => kind !== 'version'))
      for (const entry of entries as object[]) expect(state[kind]).toContainEqual(expect.objectContaining(entry));
    expect((await terminal.run('apply', '-f', 'exported.yaml', '--yes')).out).toBe('Nothing to change.\n');

    write(
      'changed.yaml',
      manifest
        .replace('Keeps the books', 'Keeps them')
        .replace('[pay small invoices, ', '[')
        .replace(/ {2}- \{ name: Nightly.*\n/, ''),
    );
    const changed = await terminal.run('apply', '-f', 'changed.yaml', '--yes', '--json');
    expect(JSON.parse(changed.out)).toMatchObject({
      plan: [
        {
          action: 'update',
          kind: 'roles',
          name: 'Accountant',
          changes: [{ field: 'description', before: 'Keeps the books', after: 'Keeps them' }],
        },
      ],
      prunable: [
        { kind: 'groups', name: 'Accounting', field: 'permissions', values: ['pay small invoices'] },
        { kind: 'apps', name: 'Nightly' },
      ],
    });
    const kept = await terminal.run('apply', '-f', 'changed.yaml', '--yes');
    expect([kept.code, kept.out]).toStrictEqual([0, 'Nothing to change.\n']);
    expect(kept.err).toContain('    group Accounting, permissions: pay small invoices\n    app Nightly');
    const pruned = await terminal.run('apply', '-f', 'changed.yaml', '--yes', '--prune', '--json');
    expect(JSON.parse(pruned.out).plan).toStrictEqual([
      {
        action: 'update',
        kind: 'groups',
        name: 'Accounting',
        changes: [expect.objectContaining({ field: 'permissions', after: ['read invoices'] })],
      },
      { action: 'remove', kind: 'apps', name: 'Nightly' },
    ]);
    expect((await terminal.run('apply', '-f', 'changed.yaml', '--prune', '--dry-run')).out).toBe('Nothing to change.\n');
  });

  test('what is wrong in a manifest is named, and nothing is changed', async () => {
    const terminal = place.asOwner();
    for (const [text, said] of [
      ['version: 2\n', 'version'],
      ['version: 1\nroles:\n  - { nmae: Accountant }\n', 'roles.0'],
      ['version: 1\nroles: [\n', 'line'],
      ['version: 1\nroles:\n  - { name: A, groups: [No such] }\n', 'A refers to No such'],
      ['version: 1\nresources:\n  - { slug: Role, name: Mine }\n', 'built in'],
      ['version: 1\ntags:\n  - { name: A, color: red }\n  - { name: A, color: blue }\n', 'two tags'],
    ] as const) {
      writeFileSync(join(place.folder, 'wrong.yaml'), text);
      const { code, err } = await terminal.run('apply', '-f', 'wrong.yaml', '--yes');
      expect([text, code === 0, err]).toStrictEqual([text, false, expect.stringContaining(said)]);
    }
    expect((await terminal.run('apply', '-f', 'missing.yaml')).code).toBe(2);
  });

  test('a Viewer gets the refusal of the API, with exit code 1', async () => {
    const roleId = await builtInRole(place.owner, place.world.birch, 'Viewer');
    const scope = place.world.shop;
    const key = dataOf(await place.owner.client.post('/api/api-keys', { scope, name: 'viewer', roleId }, place.owner.token));
    const viewer = place.openTerminal({
      TESSERA_SCOPE: place.world.project,
      TESSERA_CLIENT_ID: key.clientId,
      TESSERA_CLIENT_SECRET: key.clientSecret,
    });
    writeFileSync(join(place.folder, 'tag.yaml'), 'version: 1\ntags:\n  - { name: mine, color: red }\n');
    const { code, err } = await viewer.run('apply', '-f', 'tag.yaml', '--yes', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(err.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'FORBIDDEN' } });
  });

  test('the schema is JSON, and names every kind', async () => {
    const { out } = await place.openTerminal().run('schema');
    expect(Object.keys(JSON.parse(out).properties)).toStrictEqual([
      'version',
      'tags',
      'resources',
      'permissions',
      'groups',
      'roles',
      'apps',
      'grants',
    ]);
  });
});
