/** Whom the platform blocks is out at every door of the whole system within a second. */
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { grant } from '../../tools/platform/administrators.ts';
import { inScope } from '../support/client.ts';
import { makeRobot } from '../support/robot.ts';
import { openStack } from '../support/shared-stack.ts';
import { assertMeasuredWithin, until } from '../support/until.ts';
import { addMember, builtInRole, createOrganization, createPerson, createProject, dataOf, PASSWORD } from '../support/world.ts';

const stack = await openStack();

async function createOperator() {
  const person = await createPerson(stack, { name: 'Olivia Operator' });
  const database = new pg.Client({ connectionString: stack.adminDatabaseUrl, options: '-c search_path=identity' });
  await database.connect();
  await grant(database, person.email).finally(() => database.end());
  return person;
}

const operator = await createOperator();
const owner = await createPerson(stack);
const organization = await createOrganization(owner);
const project = await createProject(owner, organization);
const roleId = await builtInRole(owner, organization, 'Admin');

/** A member with a session, a key and a machine app, and what each of them is answered. */
async function createTarget() {
  const person = await addMember(stack, owner, organization, 'Admin');
  const { clientId, clientSecret } = dataOf(
    await person.client.post('/api/api-keys', { scope: project, name: 'key', roleId }, person.token),
  );
  const exchange = () => person.client.post('/api/auth/token', { clientId, clientSecret, scope: project });
  const keyToken: string = dataOf(await exchange()).accessToken;
  const robot = await makeRobot(stack.url, person, project, roleId);
  const credentials = { provider: 'email', providerId: person.email, providerData: { password: PASSWORD } };
  const question = { scope: organization, subject: { type: 'user', id: person.userId }, permission: { resource: 'Role', action: 'Query' } };
  const listWith = (token: string) => person.client.get(`/api/roles?${inScope(project)}`, token);
  const isGood = async (answer: Promise<{ readonly status: number }>) => (await answer).status < 300;
  const doors: Readonly<Record<string, () => Promise<boolean>>> = {
    session: () => isGood(person.client.get('/api/me', person.token)),
    password: () => isGood(person.client.post('/api/auth/login', credentials)),
    'token of the key': () => isGood(listWith(keyToken)),
    key: () => isGood(exchange()),
    'token of the machine app': () => isGood(listWith(robot.token)),
    'machine app': () => isGood(robot.exchange()),
    decision: async () => dataOf(await owner.client.post('/api/auth/is-authorized', question, owner.token)).authorized,
  };
  const openDoors = async () => {
    const all = await Promise.all(Object.entries(doors).map(async ([name, isOpen]) => ((await isOpen()) ? [name] : [])));
    return all.flat();
  };
  return { person, openDoors, names: Object.keys(doors) };
}

test('session, password, key, machine app and decisions refuse within a second; what there was stays ended', async () => {
  await assertMeasuredWithin(1_000, async () => {
    const { person, openDoors, names } = await createTarget();
    expect(await openDoors()).toStrictEqual(names);
    dataOf(await operator.client.post(`/api/platform/users/${person.userId}/block`, { reason: 'abuse' }, operator.token));
    const since = performance.now();
    let open: readonly string[] = names;
    const isShut = async () => {
      open = await openDoors();
      return open.length === 0;
    };
    await until(isShut, 10_000).catch(() => expect(open).toStrictEqual([]));
    const tookMs = performance.now() - since;
    dataOf(await operator.client.post(`/api/platform/users/${person.userId}/unblock`, {}, operator.token));
    await until(async () => (await openDoors()).includes('decision'));
    expect(await openDoors()).toStrictEqual(['password', 'key', 'machine app', 'decision']);
    return tookMs;
  });
});
