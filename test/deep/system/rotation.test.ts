/** The steps of docs/rotation.md, one process after the other, with people at work between them. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { examine } from '../../../tools/doctor/doctor.ts';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { type Service, services } from '../../../tools/services.ts';
import type { Environment } from '../../../tools/stack/environment.ts';
import { noteSecret } from '../../support/evidence.ts';
import { endPassword, makeSecondLogin } from '../../support/second-login.ts';
import { startOwnStack } from '../../support/shared-stack.ts';
import { until } from '../../support/until.ts';
import { builtInRole, createOrganization, createPerson, createProject, dataOf, PASSWORD, type Person } from '../../support/world.ts';

let own: Awaited<ReturnType<typeof startOwnStack>>;
let person: Person;
let apiKey: { clientId: string; clientSecret: string; scope: object };
/** What has been changed so far, by service. */
const changed: Record<Service, Environment> = { identity: {}, tenancy: {}, rbac: {}, keys: {}, gateway: {} };

beforeAll(async () => {
  own = await startOwnStack();
  person = await createPerson(own);
  const organization = await createOrganization(person);
  const project = await createProject(person, organization);
  const roleId = await builtInRole(person, organization, 'Viewer');
  const made = dataOf(await person.client.post('/api/api-keys', { scope: project, name: 'Rotation', roleId }, person.token));
  apiKey = { clientId: made.clientId, clientSecret: made.clientSecret, scope: project };
});
afterAll(() => own.close());

function newSecret(): string {
  const secret = randomBytes(32).toString('base64');
  noteSecret('deployment secret', secret);
  return secret;
}

/** Restarts one process with its new variables; it must become ready among the others. */
async function roll(service: Service, variables: Environment): Promise<void> {
  changed[service] = { ...changed[service], ...variables };
  await own.stack.processes[service]?.restart(changed[service]);
}

/** What goes through all services: an old token, a new sign-in, an API key, a decision. */
async function assertWorks(step: string): Promise<void> {
  const { client, email, token } = person;
  const query = '{ me { email accounts { organizations { name roles { name } } } } }';
  const answers = [
    await client.graphql(query, {}, token),
    await client.post('/api/auth/login', { provider: 'email', providerId: email, providerData: { password: PASSWORD } }),
    await client.post('/api/auth/token', apiKey),
  ];
  expect(answers.map(({ status, body }) => [status, body.errors])).toStrictEqualFor(step, Array(3).fill([200, undefined]));
}

test('INTERNAL_AUTH_SECRET: in no step and between no two restarts does anything fail', async () => {
  const old = own.stack.env('identity').INTERNAL_AUTH_SECRET ?? '';
  const secret = newSecret();
  const both = `${secret},${old}`;
  for (const [step, INTERNAL_AUTH_SECRET] of [
    ['1', `${old},${secret}`],
    ['2', both],
    ['4', secret],
  ] as const) {
    for (const service of services) {
      // Step 3 goes with step 2, for identity alone.
      const kept = service === 'identity' && step !== '1' ? { AUTH_PASSWORD_SECRETS: both, AUTH_FACTOR_SECRETS: both } : {};
      await roll(service, { INTERNAL_AUTH_SECRET, ...kept });
      await assertWorks(`step ${step}, ${service}`);
    }
  }
  const refused = await examine({ environment: own.stack.env('gateway'), services: ['gateway'] });
  expect(refused.findings.map(({ message }) => message)).toContain('does not accept this INTERNAL_AUTH_SECRET from gateway');
});

test('KEYS_ENCRYPTION_KEY: what was sealed under the old key is sealed anew, and the old key can go', async () => {
  const old = own.stack.env('keys').KEYS_ENCRYPTION_KEY ?? '';
  const key = newSecret();
  await expect(roll('keys', { KEYS_ENCRYPTION_KEY: key })).rejects.toThrow(/lacks the keys/);
  await resealUnder(`${key},${old}`, 1);
  await roll('keys', { KEYS_ENCRYPTION_KEY: key });
  await assertWorks('the new key alone');
  // And back: what is searched for secrets at the end is opened with the first key.
  await resealUnder(`${old},${key}`, 2);
});

/** The next run is up to ten minutes away: as if the last one had been earlier. */
async function resealUnder(KEYS_ENCRYPTION_KEY: string, times: number): Promise<void> {
  await withClient(own.adminDatabaseUrl, (client) => client.query(`DELETE FROM keys.jobs WHERE name = 'keys.reseal'`));
  await roll('keys', { KEYS_ENCRYPTION_KEY });
  await assertWorks('both keys');
  const log = own.stack.processes['keys']?.logFile ?? '';
  await until(() => readFileSync(log, 'utf8').split('sealed anew').length > times);
}

test('a database password: a second login takes the turn of the first', async () => {
  const password = newSecret();
  const { adminDatabaseUrl: adminUrl, stack } = own;
  const url = await makeSecondLogin({ adminUrl, url: stack.databaseUrls.rbac, password });
  await roll('rbac', { RBAC_DATABASE_URL: url });
  await endPassword(adminUrl, stack.databaseUrls.rbac);
  await assertWorks('the new password');
  await expect(withClient(stack.databaseUrls.rbac, async () => undefined)).rejects.toThrow('password authentication failed');
  // A new table of a migration would still belong to the first login.
  const { rows } = await withClient(url, (client) => client.query('SELECT current_user AS role, session_user AS login'));
  expect(rows).toStrictEqual([{ role: 'tessera_rbac', login: 'tessera_rbac_b' }]);
  const environment = { ...own.stack.env('rbac'), ...changed.rbac };
  const { findings } = await examine({ environment, services: ['rbac'] });
  expect(findings.filter(({ level }) => level === 'error')).toStrictEqual([]);
});
