/** `tessera grants adopt`: a customer moves from a project of its own to a product, and back. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { inScope, type ScopeValue } from '../../support/client.ts';
import { openWorkplace, type Workplace } from '../../support/packages/workplace.ts';
import { addMember, createOrganization, createPerson, createProject, dataOf, type Person } from '../../support/world.ts';

const cleanup = new AsyncDisposableStack();
let place: Workplace;
let gate: Awaited<ReturnType<typeof openGate>>;

beforeAll(async () => {
  place = await openWorkplace(cleanup);
  gate = await openGate();
}, 240_000);
afterAll(() => cleanup.disposeAsync());

/**
 * Passes requests on. While `kill` is there, each change meets it twice, before it reaches the
 * server and after it was made there; the third time it passes.
 */
async function openGate() {
  const met = new Map<string, number>();
  const gate: { kill?: (() => void) | undefined } = {};
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const change = `${incoming.method} ${incoming.url}`;
    const times = met.get(change) ?? 0;
    const { kill } = gate;
    const isMet = incoming.method !== 'GET' && kill !== undefined && times < 2;
    if (isMet) met.set(change, times + 1);
    if (isMet && times === 0) return kill();
    const target = new URL(incoming.url ?? '/', place.stack.url);
    const forwarded = request(target, { method: incoming.method, headers: incoming.headers }, (answer) => {
      if (isMet) return void answer.resume().on('end', kill);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  };
  const server = createServer(pass);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(async () => void server.close().closeAllConnections());
  return Object.assign(gate, { met, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const make = async ({ client, token }: Person, scope: ScopeValue, path: string, body: object) =>
  dataOf(await client.post(`/api/${path}`, { scope, ...body }, token));
const list = async ({ client, token }: Person, scope: ScopeValue, path: string) =>
  dataOf(await client.get(`/api/${path}?${inScope(scope, 'limit=100')}`, token)).items;

async function createProduct() {
  const { owner, world } = place;
  const scope = await createProject(owner, world.birch, `Product ${randomUUID().slice(0, 8)}`);
  const roles = new Map<string, string>();
  for (const [name, isGrantable] of [
    ['Reader', true],
    ['Writer', true],
    ['Lead', false],
  ] as const)
    roles.set(name, (await make(owner, scope, 'roles', { name, isGrantable })).id);
  return {
    scope,
    roles,
    grants: () => list(owner, scope, 'project-grants') as Promise<{ id: string; status: string; roleIds: unknown }[]>,
  };
}
type Product = Awaited<ReturnType<typeof createProduct>>;

/** A customer with a project of its own, and two members with roles in it. */
async function createCustomer(owner: Person, names: readonly (readonly string[])[]) {
  const organization = await createOrganization(owner, 'Cedar');
  const source = await createProject(owner, organization, 'Own');
  const roles = new Map<string, string>();
  for (const name of new Set(names.flat())) roles.set(name, (await make(owner, source, 'roles', { name })).id);
  const members: Person[] = [];
  for (const held of names) {
    const member = await addMember(place.stack, owner, organization, 'Viewer');
    const roleIds = held.map((name) => roles.get(name));
    dataOf(await owner.client.patch(`/api/users/${member.userId}`, { scope: source, roleIds }, owner.token));
    members.push(member);
  }
  return { owner, organization, source, roles, members };
}
type Customer = Awaited<ReturnType<typeof createCustomer>>;

/** The names of the roles that the members have in a project. */
async function rolesIn(owner: Person, scope: ScopeValue, members: readonly Person[]) {
  const people = (await list(owner, scope, 'users')) as { id: string; roles: { name: string }[] }[];
  return members.map(({ userId }) =>
    people
      .find(({ id }) => id === userId)
      ?.roles.map(({ name }) => name)
      .toSorted(),
  );
}
function placeOf({ organization }: Customer, { scope }: Product): ScopeValue {
  return { tenant: 'organizationProject', id: `${organization.id}:${scope.id.slice(37)}` };
}

/** Runs the command until it is done: it is killed around each of its changes. */
async function runKilled(token: string, args: readonly string[]) {
  const terminal = place.openTerminal({ TESSERA_TOKEN: token, TESSERA_URL: gate.url });
  gate.met.clear();
  for (let kills = 0; kills < 24; kills += 1) {
    const child = terminal.start(...args);
    gate.kill = () => void child.kill('SIGKILL');
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    gate.kill = undefined;
    if (signal === null) return { code, kills };
  }
  throw new Error('it is never done');
}

test('plans first, is killed at every step and goes on, gives what the people had, and goes back to exactly what was', async () => {
  const { owner } = place;
  const product = await createProduct();
  const customer = await createCustomer(owner, [['Reader'], ['Reader', 'Editor', 'Lead']]);
  const { source, members } = customer;
  const there = placeOf(customer, product);
  await make(owner, source, 'roles', { name: 'Unused' });
  await make(owner, source, 'users', { name: 'Stranger', roleIds: [customer.roles.get('Reader')] });
  await make(owner, source, 'api-keys', { name: 'Nightly', roleId: customer.roles.get('Reader') });
  await make(owner, source, 'project-apps', { name: 'Books', redirectUris: ['https://books.example/callback'] });
  const before = await rolesIn(owner, source, members);
  const record = join(place.folder, 'one.json');
  const args = ['grants', 'adopt', source.id, '--into', product.scope.id, '--record', 'one.json'];
  const mapped = [...args, '--role', 'Editor=Writer'];
  const terminal = place.openTerminal({ TESSERA_TOKEN: owner.token, TESSERA_URL: gate.url });

  const unmapped = await terminal.run(...args, '--yes');
  expect([unmapped.code, unmapped.err]).toStrictEqual([1, expect.stringContaining('  Editor, held by 1: no role there is named Editor')]);
  const plan = await terminal.run(...mapped, '--dry-run', '--json');
  expect(plan.code).toStrictEqualFor(plan.err, 4);
  const [ada, bo] = members.map(({ userId }) => userId);
  const { Reader, Writer, Lead } = Object.fromEntries(product.roles);
  expect(JSON.parse(plan.out)).toStrictEqual({
    plan: [
      { action: 'offer', roleIds: expect.arrayContaining([Reader, Writer, Lead]) },
      { action: 'accept' },
      { action: 'give', userId: ada, roles: ['Reader'] },
      { action: 'give', userId: bo, roles: expect.arrayContaining(['Reader', 'Writer', 'Lead']) },
    ],
    leftOut: [
      'roles that nobody holds: Unused',
      'people who are no members of the organization: invite them, and run this again: Stranger',
      'API keys: make them anew in the product, for this customer: Nightly',
      'apps: the product’s own sign people in: Books',
    ],
  });
  const unasked = await terminal.run(...mapped);
  expect([unasked.code, unasked.err]).toStrictEqual([2, expect.stringContaining('--yes')]);
  expect([await product.grants(), existsSync(record)]).toStrictEqual([[], false]);

  // Offer, acceptance and two people, before and after each.
  expect(await runKilled(owner.token, [...mapped, '--yes'])).toStrictEqual({ code: 4, kills: 8 });
  expect((await product.grants()).map(({ status }) => status)).toStrictEqual(['active']);
  expect(await rolesIn(owner, there, members)).toStrictEqual([['Reader'], ['Lead', 'Reader', 'Writer']]);
  expect(await rolesIn(owner, source, members)).toStrictEqual(before);
  const again = await terminal.run(...mapped, '--yes');
  expect([again.code, again.out]).toStrictEqual([4, 'Nothing to change.\n']);
  expect(Object.keys(JSON.parse(readFileSync(record, 'utf8')).given).toSorted()).toStrictEqual([ada, bo].toSorted());

  // A role that was given by hand meanwhile stays, and with it the grant.
  dataOf(await owner.client.patch(`/api/users/${ada}`, { scope: there, roleIds: [Reader, Writer] }, owner.token));
  const shown = await terminal.run(...args, '--back', '--dry-run');
  expect([shown.code, shown.out]).toStrictEqual([4, '3 changes, none made.\n']);
  expect(await runKilled(owner.token, [...args, '--back', '--yes'])).toStrictEqual({ code: 0, kills: 4 });
  expect(existsSync(record)).toBe(false);
  expect(await rolesIn(owner, there, members)).toStrictEqual([['Writer'], []]);
  expect((await product.grants()).map(({ status }) => status)).toStrictEqual(['active']);
  expect(await rolesIn(owner, source, members)).toStrictEqual(before);
});

test('ends the grant on the way back when nothing else uses it', async () => {
  const { owner } = place;
  const product = await createProduct();
  const customer = await createCustomer(owner, [['Reader']]);
  const args = ['grants', 'adopt', customer.source.id, '--into', product.scope.id];
  const terminal = place.openTerminal({ TESSERA_TOKEN: owner.token, TESSERA_URL: gate.url });
  const file = `tessera-adopt-${customer.source.id.slice(37)}.json`;
  const moved = await terminal.run(...args, '--yes');
  expect([moved.code, moved.out]).toStrictEqual([0, `3 changes made. ${file} has what --back takes.\n`]);
  // All grantable roles: none of those that people had is a special one.
  expect(await product.grants()).toMatchObject([{ status: 'active', roleIds: null }]);
  expect(await runKilled(owner.token, [...args, '--back', '--yes'])).toStrictEqual({ code: 0, kills: 4 });
  expect((await product.grants()).map(({ status }) => status)).toStrictEqual(['ended']);
  expect((await terminal.run(...args, '--back', '--yes')).code).toBe(2);
});

test('between two people it says what the other side does, and goes on from there', async () => {
  const product = await createProduct();
  const customer = await createCustomer(await createPerson(place.stack), [['Reader', 'Old']]);
  const admin = await addMember(place.stack, customer.owner, customer.organization, 'Admin');
  const args = ['grants', 'adopt', customer.source.id, '--into', product.scope.id, '--record', 'two.json', '--map', 'two.yaml'];
  writeFileSync(join(place.folder, 'two.yaml'), 'Reader: Writer\nOld: null\n');
  const asVendor = place.asOwner();
  const asAdmin = place.openTerminal({ TESSERA_TOKEN: admin.token });
  const command = `tessera grants create --organization ${customer.organization.id} --scope organizationProject:${product.scope.id}`;
  for (const [terminal, said] of [
    [asVendor, `You may not see the people of ${customer.source.id}`],
    [asAdmin, 'The product is not offered to this organization yet.'],
  ] as const) {
    const { code, err } = await terminal.run(...args, '--yes');
    expect([code, err]).toStrictEqual([1, expect.stringContaining(said)]);
    expect(err).toContain(command);
  }
  expect((await asVendor.run(...command.split(' ').slice(1))).code).toBe(0);
  const [{ id } = { id: '' }] = await product.grants();
  const waiting = await asAdmin.run(...args, '--yes', '--json');
  expect([waiting.code, JSON.parse(waiting.out).waitsFor]).toStrictEqual([
    4,
    expect.stringContaining(`tessera grants accept ${id} --scope organization:${customer.organization.id}`),
  ]);
  const asBuyer = place.openTerminal({ TESSERA_TOKEN: customer.owner.token, TESSERA_SCOPE: `organization:${customer.organization.id}` });
  expect((await asBuyer.run('grants', 'accept', id)).code).toBe(0);
  const moved = await asAdmin.run(...args, '--yes', '--json');
  expect(moved.code).toStrictEqualFor(moved.err, 0);
  expect(JSON.parse(moved.out)).toMatchObject({ changes: 1, leftOut: ['roles that --role leaves out: Old'] });
  const there = placeOf(customer, product);
  expect(await rolesIn(customer.owner, there, customer.members)).toStrictEqual([['Writer']]);

  // Neither the offer nor the acceptance was the command's: going back leaves the grant.
  const back = await asAdmin.run(...args, '--back', '--yes');
  expect([back.code, back.out]).toStrictEqual([0, 'Taken back.\n']);
  expect(await rolesIn(customer.owner, there, customer.members)).toStrictEqual([[]]);
  expect((await product.grants()).map(({ status }) => status)).toStrictEqual(['active']);

  // Suspended, it is not the moment; a viewer changes nothing.
  dataOf(await place.owner.client.post(`/api/project-grants/${id}/suspend`, { scope: product.scope }, place.owner.token));
  expect((await asAdmin.run(...args, '--yes')).err).toContain('The grant is suspended.');
  dataOf(await place.owner.client.post(`/api/project-grants/${id}/resume`, { scope: product.scope }, place.owner.token));
  const asMember = place.openTerminal({ TESSERA_TOKEN: customer.members[0]?.token ?? '' });
  const refused = await asMember.run(...args, '--yes');
  expect(refused.code).toBe(1);
  expect(await rolesIn(customer.owner, there, customer.members)).toStrictEqual([[]]);
});

test('names what is wrong, and changes nothing', async () => {
  const { world, asOwner } = place;
  const product = await createProduct();
  const other = `${randomUUID()}:${randomUUID()}`;
  writeFileSync(join(place.folder, 'list.yaml'), '- Reader\n');
  writeFileSync(join(place.folder, 'broken.json'), '{');
  const url = place.stack.url;
  writeFileSync(
    join(place.folder, 'foreign.json'),
    JSON.stringify({ version: 1, url, source: 'another', product: product.scope.id, given: {} }),
  );
  const into = ['--into', product.scope.id];
  for (const [args, code, said] of [
    [[world.shop.id, ...into], 2, 'Both projects are of one organization'],
    [['here', ...into], 2, 'is <organization>:<project>'],
    [[other, '--into', 'there'], 2, '--into is <organization>:<project>'],
    [[other, ...into, '--role', 'Reader'], 2, 'is not <old>=<new>'],
    [[other, ...into, '--map', 'list.yaml'], 2, 'has to name a new role'],
    [[other, ...into, '--map', 'missing.yaml'], 2, 'cannot be read'],
    [[other, ...into, '--back'], 2, 'nothing to take back'],
    [[other, ...into, '--record', 'broken.json'], 2, 'is no record of an adoption'],
    [[other, ...into, '--record', 'foreign.json'], 2, 'is the record of another adoption'],
    [[other, ...into], 1, 'You may not see the people'],
  ] as const) {
    const said2 = await asOwner().run('grants', 'adopt', ...args, '--yes');
    expect([args, said2.code, said2.err]).toStrictEqual([args, code, expect.stringContaining(said)]);
  }
  expect(await product.grants()).toStrictEqual([]);
});
