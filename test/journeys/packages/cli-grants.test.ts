/** The customers of a project in its manifest, with the packed tessera command on a whole stack. */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { inScope } from '../../support/client.ts';
import { openWorkplace, type Workplace } from '../../support/packages/workplace.ts';
import { createOrganization, createPerson, createProject, dataOf, type Person } from '../../support/world.ts';

const cleanup = new AsyncDisposableStack();
let place: Workplace;

beforeAll(async () => {
  place = await openWorkplace(cleanup);
}, 240_000);
afterAll(() => cleanup.disposeAsync());

const model = `version: 1
roles:
  - { name: Reader }
  - { name: Writer }
  - { name: Extra, isGrantable: false }
`;

/** A project with three roles, two organizations, and one who applies manifests to it. */
async function createProduct() {
  const scope = await createProject(place.owner, place.world.birch, `Product ${randomUUID().slice(0, 8)}`);
  const terminal = place.asOwner({ TESSERA_SCOPE: `${scope.tenant}:${scope.id}` });
  const buyers = await Promise.all(
    ['Acme', 'Cedar'].map(async (name) => {
      const owner = await createPerson(place.stack);
      const organization = await createOrganization(owner, name);
      const { slug } = dataOf(await owner.client.get(`/api/organizations/${organization.id}?${inScope(organization)}`, owner.token));
      return { owner, organization, slug: String(slug) };
    }),
  );
  const [acme, cedar] = buyers as [(typeof buyers)[number], (typeof buyers)[number]];
  const list = async () =>
    dataOf(await place.owner.client.get(`/api/project-grants?${inScope(scope, 'limit=100')}`, place.owner.token)).items as {
      id: string;
      status: string;
      organizationId: string;
    }[];
  const answerOf = async ({ owner, organization }: { owner: Person; organization: { tenant: string; id: string } }, step: string) => {
    const open = (await list()).find(({ organizationId, status }) => organizationId === organization.id && status !== 'ended');
    dataOf(await owner.client.post(`/api/project-grants/${open?.id}/${step}`, { scope: organization }, owner.token));
  };
  const apply = async (grants: string, ...options: readonly string[]) => {
    writeFileSync(join(place.folder, 'grants.yaml'), `${model}${grants}`);
    const said = await terminal.run('apply', '-f', 'grants.yaml', '--yes', ...options);
    return { ...said, lines: `${said.err}${said.out}` };
  };
  return { terminal, acme, cedar, list, answerOf, apply };
}
const done = 'Nothing to change.\n';

describe('the grants of a manifest', () => {
  test('are offered once, take new terms, are suspended and resumed, and come back from export', async () => {
    const { terminal, acme, cedar, list, answerOf, apply } = await createProduct();
    const first = `grants:
  - { organization: ${acme.organization.id}, roles: [Reader], maxMembers: 5, metadata: { plan: pro }, state: active }
  - { organization: ${cedar.organization.id} }
`;
    const made = await apply(first, '--json');
    expect(made.code).toStrictEqualFor(made.err, 0);
    expect(JSON.parse(made.out).plan.slice(-2)).toStrictEqual([
      { action: 'create', kind: 'grants', name: acme.organization.id },
      { action: 'create', kind: 'grants', name: cedar.organization.id },
    ]);
    const waiting = await apply(first);
    expect([waiting.code, waiting.out]).toStrictEqual([0, done]);
    expect(waiting.err).toContain(`    grant ${acme.organization.id} waits for an Owner of the customer`);
    expect((await list()).map(({ status }) => status)).toStrictEqual(['offered', 'offered']);

    await answerOf(acme, 'accept');
    await answerOf(cedar, 'accept');
    expect((await apply(first)).lines).toBe(done);
    // By the short name too, once there is a grant.
    const second = `grants:
  - { organization: ${acme.slug}, roles: [Reader, Writer], maxMembers: null, allowCustomRoles: false, state: suspended }
  - { organization: ${cedar.organization.id}, state: active }
`;
    const changed = await apply(second, '--json');
    expect(JSON.parse(changed.out).plan).toStrictEqual([
      {
        action: 'update',
        kind: 'grants',
        name: acme.slug,
        changes: [
          { field: 'roles', before: ['Reader'], after: ['Reader', 'Writer'] },
          { field: 'allowCustomRoles', before: true, after: false },
          { field: 'maxMembers', before: 5, after: null },
        ],
      },
      { action: 'suspend', kind: 'grants', name: acme.slug },
    ]);
    expect((await apply(second)).out).toBe(done);

    const exported = await terminal.run('export', '-o', 'exported-grants.yaml');
    expect(exported.code).toStrictEqualFor(exported.err, 0);
    const text = readFileSync(join(place.folder, 'exported-grants.yaml'), 'utf8');
    expect(text).toContain('# Acme');
    expect(parse(text).grants).toStrictEqual([
      {
        organization: acme.organization.id,
        roles: ['Reader', 'Writer'],
        allowCustomRoles: false,
        metadata: { plan: 'pro' },
        state: 'suspended',
      },
      { organization: cedar.organization.id, state: 'active' },
    ]);
    expect((await terminal.run('apply', '-f', 'exported-grants.yaml', '--yes', '--prune')).out).toBe(done);
    expect((await apply(`grants:\n  - { organization: ${acme.organization.id}, state: active }\n`)).lines).toContain('is resumed');
    expect((await list()).map(({ status }) => status).sort()).toStrictEqual(['active', 'active']);
  });

  test('lose nothing without --prune, also inside an entry; with it they are exactly these, and the plan says what ends', async () => {
    const { acme, cedar, list, answerOf, apply } = await createProduct();
    await apply(`grants:
  - { organization: ${acme.organization.id}, roles: [Reader, Extra], metadata: { plan: pro, seats: 3 } }
  - { organization: ${cedar.organization.id} }
`);
    await answerOf(acme, 'accept');
    await answerOf(cedar, 'accept');
    const narrow = `grants:\n  - { organization: ${acme.organization.id}, roles: [Writer], metadata: { plan: free } }\n`;
    const kept = await apply(narrow, '--json');
    const { plan, prunable } = JSON.parse(kept.out);
    expect(plan[0].changes).toMatchObject([
      { field: 'roles', after: ['Extra', 'Reader', 'Writer'] },
      { field: 'metadata', after: { plan: 'free', seats: 3 } },
    ]);
    expect(prunable).toStrictEqual([
      { kind: 'grants', name: acme.organization.id, field: 'roles', values: ['Extra', 'Reader'] },
      { kind: 'grants', name: acme.organization.id, field: 'metadata', values: ['seats'] },
      { kind: 'grants', name: `Cedar (${cedar.organization.id})` },
    ]);
    // All that are grantable are fewer than what it has, and a list is less than all.
    const wide = await apply(`grants:\n  - { organization: ${acme.organization.id}, roles: null }\n`);
    expect([wide.out, wide.err]).toStrictEqual([done, expect.stringContaining('roles: Extra')]);
    const fewer = await apply(`grants:\n  - { organization: ${cedar.organization.id}, roles: [Reader] }\n`);
    expect([fewer.out, fewer.err]).toStrictEqual([done, expect.stringContaining('roles: all that are grantable')]);
    const untouched = await apply('', '--prune', '--json');
    expect(JSON.parse(untouched.out).plan).toStrictEqual([]);

    const shown = await apply(narrow, '--prune', '--dry-run');
    expect(shown.code).toBe(4);
    expect(shown.err).toContain(`- grant Cedar (${cedar.organization.id}) ends: 0 people lose their rights here, and`);
    const pruned = await apply(narrow, '--prune', '--json');
    expect(JSON.parse(pruned.out).plan).toMatchObject([
      {
        action: 'update',
        changes: [
          { field: 'roles', after: ['Writer'] },
          { field: 'metadata', after: { plan: 'free' } },
        ],
      },
      { action: 'end', kind: 'grants', name: `Cedar (${cedar.organization.id})`, people: 0 },
    ]);
    expect((await apply(narrow, '--prune')).out).toBe(done);
    const byCustomer = new Map((await list()).map(({ organizationId, status }) => [organizationId, status]));
    expect(byCustomer).toStrictEqual(
      new Map([
        [acme.organization.id, 'active'],
        [cedar.organization.id, 'ended'],
      ]),
    );
  });

  test('to an address are mailed once; what was declined is not offered again', async () => {
    const { acme, list, answerOf, apply } = await createProduct();
    const mailed = `grants:\n  - { email: '${randomUUID()}@customer.example' }\n`;
    expect((await apply(mailed)).code).toBe(0);
    expect((await apply(mailed)).out).toBe(done);
    expect(await list()).toHaveLength(1);
    // Of an organization that one is in, the short name is enough.
    const own = await createOrganization(place.owner, 'Dogwood');
    const { slug } = dataOf(await place.owner.client.get(`/api/organizations/${own.id}?${inScope(own)}`, place.owner.token));
    const named = `${mailed}  - { organization: ${slug} }\n`;
    expect((await apply(named)).code).toBe(0);
    expect((await apply(named)).out).toBe(done);
    expect((await apply(mailed, '--prune')).err).toContain(`- grant Dogwood (${own.id}): the offer is withdrawn`);
    const offer = `${mailed}  - { organization: ${acme.organization.id} }\n`;
    expect((await apply(offer)).code).toBe(0);
    await answerOf(acme, 'decline');
    const again = await apply(offer);
    expect([again.out, again.err]).toStrictEqual([done, expect.stringContaining('was declined; `tessera grants create` offers it again')]);
    expect((await apply('grants: []\n', '--prune')).err).toContain('the offer is withdrawn');
    expect((await list()).map(({ status }) => status).sort()).toStrictEqual(['declined', 'ended', 'ended']);
  });

  test('that say something wrong are named, and nothing is changed', async () => {
    const { acme, cedar, list, apply } = await createProduct();
    const of = acme.organization.id;
    for (const [grants, said] of [
      [`- { organization: ${of}, roles: [Nobody] }`, 'refers to Nobody'],
      [`- { organization: ${of}, roles: [Viewer] }`, 'refers to Viewer'],
      ['- { roles: [Reader] }', 'either an organization or an email'],
      [`- { organization: ${of}, email: a@b.example }`, 'either an organization or an email'],
      [`- { organization: ${of} }\n  - { organization: ${of} }`, 'two grants'],
      [`- { organization: ${cedar.slug} }`, 'give its id'],
      [`- { organization: ${of}, state: ended }`, 'must be one of active, suspended'],
      [`- { organization: ${of}, maxMembers: 0 }`, 'maxMembers'],
      [`- { organization: ${of}, plan: pro }`, 'unknown key: plan'],
    ] as const) {
      const { code, err } = await apply(`grants:\n  ${grants}\n`);
      expect([grants, code === 0, err]).toStrictEqual([grants, false, expect.stringContaining(said)]);
    }
    expect(await list()).toStrictEqual([]);
    const account = await createProject(place.owner, place.owner.account);
    writeFileSync(join(place.folder, 'account.yaml'), 'version: 1\ngrants: []\n');
    const inAccount = place.asOwner({ TESSERA_SCOPE: `${account.tenant}:${account.id}` });
    const { code, err } = await inAccount.run('apply', '-f', 'account.yaml', '--yes');
    expect([code, err]).toStrictEqual([1, expect.stringContaining('Only the project of an organization has grants')]);
    expect((await inAccount.run('export')).code).toBe(0);
  });

  test('are left out of an export by who may not read them, and nobody applies them without the right', async () => {
    const { acme } = await createProduct();
    const { shop } = place.world;
    const roles = dataOf(await place.owner.client.get(`/api/roles?${inScope(place.world.birch, 'limit=100')}`, place.owner.token)).items;
    const roleId = roles.find(({ name }: { name: string }) => name === 'Dev').id;
    const key = dataOf(await place.owner.client.post('/api/api-keys', { scope: shop, name: 'ci', roleId }, place.owner.token));
    const ci = place.openTerminal({
      TESSERA_SCOPE: place.world.project,
      TESSERA_CLIENT_ID: key.clientId,
      TESSERA_CLIENT_SECRET: key.clientSecret,
    });
    const exported = await ci.run('export');
    expect([exported.code, exported.err]).toStrictEqual([0, 'Without the grants of the project: your role may not read them.\n']);
    writeFileSync(join(place.folder, 'ci.yaml'), `version: 1\ngrants:\n  - { organization: ${acme.organization.id} }\n`);
    expect((await ci.run('apply', '-f', 'ci.yaml', '--dry-run')).code).toBe(1);
  });
});
