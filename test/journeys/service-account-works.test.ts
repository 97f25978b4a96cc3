/** What a service account makes is worth no more than the account, and ends with its secret. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type Answer, createClient, inScope } from '../support/client.ts';
import { waitForMail } from '../support/mail.ts';
import { makeRobot } from '../support/robot.ts';
import { openStack } from '../support/shared-stack.ts';
import { until } from '../support/until.ts';
import { builtInRole, createServiceAccount, createWorld, dataOf, joinAsNew, tokenOfServiceAccount } from '../support/world.ts';

const stack = await openStack();
const world = await createWorld(stack);
const { owner, organization, project } = world;
const place = '/api/service-accounts';
const viewer = await builtInRole(owner, organization, 'Viewer');

const credentialOf = async (id: string): Promise<string> =>
  dataOf(await owner.client.get(`${place}/${id}?${inScope(organization)}`, owner.token)).credentials[0].id;

const ends: Readonly<Record<string, (id: string) => Promise<Answer>>> = {
  'its secret is removed': async (id) =>
    owner.client.delete(`${place}/${id}/credentials/${await credentialOf(id)}?${inScope(organization)}`, owner.token),
  'its role is taken': (id) => owner.client.patch(`${place}/${id}`, { scope: organization, roleIds: [viewer] }, owner.token),
  'it is deleted': (id) => owner.client.delete(`${place}/${id}?${inScope(organization)}`, owner.token),
};

for (const [ending, end] of Object.entries(ends))
  test(`a machine app and a webhook that a service account made end when ${ending}`, async () => {
    const { id, token } = await createServiceAccount(stack.url, world, 'Admin');
    const client = createClient(stack.url, 'program');
    const admin = await builtInRole(owner, organization, 'Admin');
    const app = await makeRobot(stack.url, { ...owner, client, token }, project, admin);
    const hook = { scope: project, url: `https://hooks.example.com/${id}`, eventTypes: ['*'] };
    const { id: hookId } = dataOf(await client.post('/api/webhooks', hook, token));
    const use = async () => (await client.get(`/api/users?${inScope(project)}`, app.token)).status;
    const webhook = async () => dataOf(await owner.client.get(`/api/webhooks?${inScope(project, `ids=${hookId}`)}`, owner.token)).items[0];
    expect([await use(), (await webhook()).isActive]).toStrictEqual([200, true]);
    dataOf(await end(id));
    await until(async () => (await use()) === 401);
    expect((await app.exchange()).status).toBe(400);
    await until(async () => (await webhook()).isActive === false);
  });

test('an invitation of a service account is good while its credential lives, and while it may give the role', async () => {
  const invite = async (token: string) => {
    const email = `${randomUUID()}@example.com`;
    const body = { scope: organization, email, roleId: viewer };
    dataOf(await createClient(stack.url, 'program').post('/api/organization-invitations/invite', body, token));
    return email;
  };
  const first = await createServiceAccount(stack.url, world, 'Admin');
  const person = await joinAsNew(stack, await invite(first.token));
  const members = `/api/organization-members?${inScope(organization, `ids=${person.userId}`)}`;
  await until(async () => dataOf(await owner.client.get(members, owner.token)).items[0]?.role?.name === 'Viewer');

  for (const end of Object.values(ends)) {
    const machine = await createServiceAccount(stack.url, world, 'Admin');
    const email = await invite(machine.token);
    dataOf(await end(machine.id));
    const { data } = await waitForMail(stack.dataDir, email, 'invitation');
    const accept = () => createClient(stack.url, 'a visitor').post('/api/organization-invitations/accept', { token: data.token });
    await until(async () => (await accept()).status === 409);
  }
});

test('one of an account creates and lists organizations of the account, and reaches nothing inside them', async () => {
  const { account } = owner;
  const roleId = await builtInRole(owner, account, 'Organization Creator');
  const { id } = dataOf(await owner.client.post(place, { scope: account, name: 'Sign-up', roleIds: [roleId] }, owner.token));
  const made = dataOf(await owner.client.post(`${place}/${id}/credentials`, { scope: account, type: 'secret' }, owner.token));
  const token = await tokenOfServiceAccount(stack.url, id, made.clientSecret);
  const client = createClient(stack.url, 'a program');
  const create = () => client.post('/api/organizations', { scope: account, name: 'Customer' }, token);
  const created = dataOf(await create());
  const listed = dataOf(await client.get(`/api/organizations?${inScope(account, 'limit=100')}`, token)).items;
  expect(listed.map((one: { id: string }) => one.id)).toContain(created.id);
  const scope = { tenant: 'organization', id: created.id } as const;
  // Its Owner is the account's.
  const members = `/api/organization-members?${inScope(scope)}`;
  await until(async () => dataOf(await owner.client.get(members, owner.token)).items[0]?.role?.name === 'Owner');
  const inside = [
    members,
    `/api/organizations/${created.id}?${inScope(account)}`,
    `/api/projects?${inScope(scope)}`,
    `/api/roles?${inScope(account)}`,
  ];
  for (const path of inside) expect([path, (await client.get(path, token)).status]).toStrictEqual([path, 403]);
  expect((await client.delete(`/api/organizations/${created.id}?${inScope(account)}`, token)).status).toBe(403);
  dataOf(await owner.client.patch(`${place}/${id}`, { scope: account, roleIds: [] }, owner.token));
  await until(async () => (await create()).status === 403);
});
