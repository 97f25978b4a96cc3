/** SIGKILL in the middle of a change that crosses services: all of it or none exists soon after. */

import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Answer, createClient, inScope } from '../../support/client.ts';
import { eventually, settled as rested, sagasOf } from '../../support/faults/arranged.ts';
import { brokenInvariants } from '../../support/faults/invariants.ts';
import { Killer, type Step, stepName } from '../../support/faults/kill.ts';
import { record } from '../../support/faults/record.ts';
import { waitForMail } from '../../support/mail.ts';
import { startOwnStack } from '../../support/shared-stack.ts';
import { builtInRole, createOrganization, createPerson, createProject, dataOf, PASSWORD, type Person } from '../../support/world.ts';

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 1);
const SETTLED_WITHIN_MS = 15_000;

const rows: string[] = [];
const own = await startOwnStack();
afterAll(async () => {
  record('Killed in the middle', [
    'SIGKILL at a moment drawn by chance while two registrations, a second account, an organization, an accepted invitation and a deleted person were under way;',
    'then a start, and the invariants of `test/support/faults/invariants.ts` over all schemas. The deep suite kills before every write and commit in turn.',
    '',
    '| killed | kills | changes under way | invariants that held |',
    '|---|---|---|---|',
    ...rows,
  ]);
  await own.close();
});

async function settled(): Promise<readonly string[]> {
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const broken = await brokenInvariants(own.adminDatabaseUrl);
    if (broken.length === 0 || Date.now() > deadline) return broken;
    await sleep(200);
  }
}

/** The others notice at their next attempt to connect that it is back. */
function reconnected() {
  return sleep(1_000);
}

/** Requests in flight when the process dies. Each may succeed or fail. */
type Change = (people: readonly Person[], invitations: readonly string[]) => Promise<unknown>;

const register: Change = () =>
  createClient(own.url).post('/api/auth/register', {
    type: 'organization',
    provider: 'email',
    providerId: `${randomUUID()}@example.com`,
    providerData: { password: PASSWORD },
  });
const secondAccount: Change = ([person]) => Promise.resolve(person?.client.post('/api/me/accounts', {}, person.token));
const organization: Change = ([, person]) =>
  Promise.resolve(person?.client.post('/api/organizations', { scope: person.account, name: 'Acme' }, person.token));
const acceptance: Change = (_people, [token]) =>
  createClient(own.url).post('/api/organization-invitations/accept', { token, userData: { name: 'New', password: PASSWORD } });
const deletion: Change = ([, , person]) => Promise.resolve(person?.client.delete('/api/me/accounts', person.token));

/** Three people; the third owns an organization and has a pending invitation to the second's. */
async function prepare(): Promise<{ people: readonly Person[]; invitations: readonly string[] }> {
  const people = await Promise.all([createPerson(own), createPerson(own), createPerson(own)]);
  const [, inviter, leaving] = people;
  expect(inviter).toBeTruthy();
  expect(leaving).toBeTruthy();
  await createOrganization(leaving, 'Leaving');
  const scope = await createOrganization(inviter, 'Inviting');
  const email = `${randomUUID()}@example.com`;
  dataOf(
    await inviter.client.post(
      '/api/organization-invitations/invite',
      { scope, email, roleId: await builtInRole(inviter, scope, 'Viewer') },
      inviter.token,
    ),
  );
  const { data } = await waitForMail(own.dataDir, email);
  return { people, invitations: [data.token ?? ''] };
}

function hardly(round: number) {
  return round % 2 === 0 ? '' : '&hardDelete=true';
}

/** One of each service from the list that the deep suite goes through whole. */
const chosen: readonly (Step & { readonly of: string })[] = [
  { of: 'registration', service: 'identity', table: 'users', nth: 1, when: 'commit' },
  { of: 'acceptance by a new user', service: 'tenancy', table: 'organization_invitations', nth: 1, when: 'commit' },
  { of: 'creating an organization', service: 'rbac', table: 'role_assignments', nth: 1, when: 'commit' },
  { of: 'deleting an organization', service: 'keys', table: 'revocations', nth: 1, when: 'commit' },
];

describe('a deletion races with everything that could outlive it', () => {
  for (const doomed of ['a project', 'an organization', 'a user'] as const)
    test(`of ${doomed}: nothing does`, async () => {
      for (let round = 0; round < ROUNDS * 2; round += 1) {
        const owner = await createPerson(own);
        const organization = await createOrganization(owner);
        const scope = await createProject(owner, organization);
        const personal = await createProject(owner, owner.account);
        const [, projectId] = scope.id.split(':');
        const roleId = await builtInRole(owner, organization, 'Viewer');
        const { client, token } = owner;
        const email = `${randomUUID()}@example.com`;
        dataOf(await client.post('/api/organization-invitations/invite', { scope: organization, email, roleId }, token));
        const { data } = await waitForMail(own.dataDir, email);
        const deletion = {
          'a project': `/api/projects/${projectId}?${inScope(organization)}`,
          'an organization': `/api/organizations/${organization.id}?${inScope(organization)}`,
          'a user': '/api/me/accounts?',
        }[doomed];
        const app = { name: 'App', redirectUris: ['https://app.example.com/callback'] };
        const attempts: (() => Promise<Answer>)[] = [
          () => client.post('/api/api-keys', { scope, name: 'late', roleId }, token),
          () => client.post('/api/signing-keys/rotate', { scope }, token),
          () => client.post('/api/signing-keys/rotate', { scope: personal }, token),
          () => client.post('/api/project-apps', { scope, ...app }, token),
          () => client.post('/api/project-apps', { scope: personal, ...app }, token),
          () => client.post('/api/roles', { scope, name: 'late' }, token),
          () => client.post('/api/users', { scope: organization, name: 'late', roleIds: [roleId] }, token),
          () => client.post('/api/projects', { scope: organization, name: 'late' }, token),
          () => client.post('/api/organizations', { scope: owner.account, name: 'late' }, token),
          () => client.post('/api/organization-invitations/accept', { token: data.token, userData: { name: 'Late', password: PASSWORD } }),
        ];
        const late = attempts.map((attempt) => sleep(randomInt(0, 30)).then(attempt));
        const gone = sleep(randomInt(0, 30)).then(() => client.delete(`${deletion}${hardly(round)}`, token));
        const answers = await Promise.all([gone, ...late]);
        for (const { status, body } of answers) expect(status < 500).toStrictEqualFor(body, true);
        expect(await settled()).toStrictEqualFor(`round ${round}, the deletion answered ${answers[0].status}`, []);
      }
    }, 120_000);
});

describe('a process killed at a chosen step', () => {
  for (const step of chosen)
    test(`${step.of}: ${stepName(step)}`, async () => {
      await using killer = await Killer.open(own.stack);
      const rest = () => rested(killer);
      const arrange = sagasOf(own, killer)[step.of];
      assert.ok(arrange);
      const { run, stands, whole, none } = await eventually(arrange);
      await rest();
      // The step was reached.
      expect(await killer.killAt(step, run, rest)).toBe(true);
      await rest();
      await ((await stands()) ? eventually(whole) : none());
      expect(await settled()).toStrictEqual([]);
    }, 120_000);
});

describe('a process killed in the middle', () => {
  for (const victim of ['identity', 'tenancy', 'rbac', 'keys'])
    test(`${victim}: every change is whole or finishes by itself`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { people, invitations } = await eventually(prepare);
        const killed = own.stack.processes[victim];
        assert.ok(killed);
        const changes = [register, register, secondAccount, organization, acceptance, deletion].map((change) =>
          change(people, invitations).catch(() => undefined),
        );
        const delayMs = randomInt(0, 90);
        await sleep(delayMs);
        await killed.kill();
        await Promise.all(changes);
        await killed.start();
        await reconnected();
        expect(await settled()).toStrictEqualFor(`${victim} killed after ${delayMs} ms`, []);
      }
      rows.push(`| ${victim} | ${ROUNDS} | ${ROUNDS * 6} | all |`);
    }, 120_000);
  test('and the platform still works', async () => {
    const { person, scope } = await eventually(async () => {
      const person = await createPerson(own);
      return { person, scope: await createOrganization(person, 'After') };
    });
    expect((await person.client.get(`/api/roles?${inScope(scope)}`, person.token)).status).toBe(200);
  });
});
