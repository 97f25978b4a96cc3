/** AuthZEN as a point of enforcement meets it: through the gateway. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import type { ScopeValue } from '../support/client.ts';
import { openStack } from '../support/shared-stack.ts';
import { addMember, createOrganization, createPerson, createProject, dataOf, type Person } from '../support/world.ts';

const stack = await openStack();
let owner: Person;
let viewer: Person;
let project: ScopeValue;
beforeAll(async () => {
  owner = await createPerson(stack);
  const organization = await createOrganization(owner);
  project = await createProject(owner, organization);
  viewer = await addMember(stack, owner, organization, 'Viewer');
});

const paths = ['evaluation', 'evaluations', 'search/subject', 'search/resource', 'search/action'].map((name) => `/access/v1/${name}`);
const ask = (asker: Person, subject: Person, name: string, headers: Record<string, string> = {}) =>
  asker.client.post(
    '/access/v1/evaluation',
    {
      subject: { type: 'user', id: subject.userId },
      action: { name },
      resource: { type: 'Role', id: randomUUID() },
      context: { scope: project },
    },
    asker.token,
    headers,
  );

test('the metadata leads to every endpoint, and each takes POST alone', async () => {
  const { status, body } = await owner.client.get('/.well-known/authzen-configuration');
  expect([status, body.policy_decision_point]).toStrictEqual([200, stack.url]);
  const { policy_decision_point: _, ...endpoints } = body;
  expect(Object.values(endpoints).toSorted()).toStrictEqual(paths.map((path) => stack.url + path).toSorted());
  for (const path of paths) {
    const { status: refused, headers } = await owner.client.get(path, owner.token);
    expect([refused, headers['allow']]).toStrictEqualFor(path, [405, 'POST']);
    expect((await owner.client.post(path, {})).status).toStrictEqualFor(path, 401);
  }
});

test('the request id comes back, with a decision and with a refusal', async () => {
  const id = randomUUID();
  for (const [asker, subject, expected] of [
    [owner, owner, 200],
    [viewer, owner, 403],
  ] as const) {
    const { status, headers } = await ask(asker, subject, 'Query', { 'x-request-id': id });
    expect([status, headers['x-request-id']]).toStrictEqual([expected, id]);
  }
});

test('owners ask about others and viewers about themselves; the decision is that of is-authorized', async () => {
  for (const action of ['Query', 'Create']) {
    const own = { permission: { resource: 'Role', action }, scope: project };
    const { authorized, reason } = dataOf(await viewer.client.post('/api/auth/is-authorized', own, viewer.token));
    expect(authorized).toStrictEqualFor(action, action === 'Query');
    for (const asker of [owner, viewer]) {
      const { body } = await ask(asker, viewer, action);
      expect([body.decision, body.context.reason]).toStrictEqualFor(action, [authorized, reason]);
    }
  }
  const stranger = await createPerson(stack);
  const bodies = [viewer, { ...viewer, userId: randomUUID() }].map(async (subject) => (await ask(stranger, subject, 'Query')).body);
  const [known, unknown] = await Promise.all(bodies);
  expect(typeof known).toBe('string');
  expect(known).toStrictEqual(unknown);
});
