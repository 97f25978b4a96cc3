/** SIGKILL to any service between any two steps of a saga, on the running system: after a restart the invariants hold by themselves. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, inScope } from '../system/client.ts';
import { mailsTo, waitForMail } from '../system/mail.ts';
import { startOwnStack } from '../system/stack.ts';
import { builtInRole, createOrganization, createPerson, createProject, dataOf, PASSWORD, type Person } from '../system/world.ts';
import { Killer, type Step, stepName } from './kill.ts';

type Running = Awaited<ReturnType<typeof startOwnStack>>;
let running: Running;
let killer: Killer;
before(async () => {
  running = await startOwnStack();
  killer = await Killer.open(running.stack);
});
after(async () => {
  await killer.close();
  await running.close();
});

/** The change to be killed, and what must be true when it stands or when it does not. */
type Arranged = { run(): Promise<unknown>; stands(): Promise<boolean>; whole(): Promise<void>; none(): Promise<void> };
type Saga = { readonly name: string; readonly arrange: () => Promise<Arranged> };

const count = async (from: string, values: unknown[]): Promise<number> =>
  Number((await killer.query<{ n: string }>(`SELECT count(*) AS n FROM ${from}`, values))[0]?.n);
const isMember = async (organizationId: string, userId: string): Promise<boolean> =>
  (await count('tenancy.organization_users WHERE organization_id = $1 AND user_id = $2', [organizationId, userId])) === 1;

const invite = async (owner: Person, organization: { tenant: string; id: string }, email: string, role: string): Promise<string> => {
  const roleId = await builtInRole(owner, organization, role);
  dataOf(await owner.client.post('/api/organization-invitations/invite', { scope: organization, email, roleId }, owner.token));
  return (await waitForMail(running.dataDir, email, 'invitation')).data.token ?? '';
};

const join = async (owner: Person, organization: { tenant: string; id: string }, role: string): Promise<Person> => {
  const person = await createPerson(running);
  const token = await invite(owner, organization, person.email, role);
  dataOf(await person.client.post('/api/organization-invitations/accept', { token }));
  return person;
};

const sagas: readonly Saga[] = [
  {
    name: 'registration',
    arrange: async () => {
      const email = `${randomUUID()}@example.com`;
      const registered = () =>
        count(`identity.users u JOIN identity.authentication_methods m ON m.user_id = u.id WHERE m.provider_id = $1`, [email]);
      return {
        run: () =>
          createClient(running.url).post('/api/auth/register', {
            name: 'Rita',
            provider: 'email',
            providerId: email,
            providerData: { password: PASSWORD },
          }),
        stands: async () => (await registered()) === 1,
        whole: async () => {
          const accounts = await count('tenancy.accounts a JOIN tenancy.people p ON p.user_id = a.owner_id WHERE p.email = $1', [email]);
          assert.equal(accounts, 1, 'a user without an account');
          assert.equal(
            (await mailsTo(running.dataDir, email)).filter(({ template }) => template === 'verify-email').length,
            1,
            'verification mails',
          );
        },
        none: async () => assert.equal(await count('tenancy.people WHERE email = $1', [email]), 0),
      };
    },
  },
  {
    name: 'creating an organization',
    arrange: async () => {
      const owner = await createPerson(running);
      const name = `Saga ${randomUUID()}`;
      return {
        run: () => owner.client.post('/api/organizations', { scope: owner.account, name }, owner.token),
        stands: async () => (await count('tenancy.organizations WHERE name = $1', [name])) === 1,
        whole: async () => {
          const { items } = dataOf(await owner.client.get(`/api/organizations?${inScope(owner.account)}`, owner.token));
          const scope = { tenant: 'organization', id: items[0].id };
          dataOf(await owner.client.patch(`/api/organizations/${scope.id}`, { scope, metadata: { mine: true } }, owner.token));
        },
        none: async () => assert.equal(await count('tenancy.organization_users WHERE user_id = $1', [owner.userId]), 0),
      };
    },
  },
  ...(['known', 'new'] as const).map((kind) => ({
    name: `acceptance by a ${kind} user`,
    arrange: async () => {
      const owner = await createPerson(running);
      const organization = await createOrganization(owner);
      const email = kind === 'known' ? (await createPerson(running)).email : `${randomUUID()}@example.com`;
      const token = await invite(owner, organization, email, 'Dev');
      const userData = kind === 'new' ? { userData: { name: 'Nina', password: PASSWORD } } : {};
      const client = createClient(running.url);
      return {
        run: () => client.post('/api/organization-invitations/accept', { token, ...userData }),
        stands: async () => (await count(`tenancy.organization_invitations WHERE email = $1 AND status = 'accepted'`, [email])) === 1,
        whole: async () => {
          const session = dataOf(
            await client.post('/api/auth/login', { provider: 'email', providerId: email, providerData: { password: PASSWORD } }),
          );
          const { items } = dataOf(
            await client.get(`/api/organization-members?${inScope(organization, 'limit=100')}`, session.accessToken),
          );
          assert.equal(items.find((member: { email: string }) => member.email === email)?.role?.name, 'Dev');
        },
        none: async () => {
          assert.equal(await count('tenancy.organization_users WHERE email = $1', [email]), 0);
          if (kind === 'new') assert.equal(await count('identity.authentication_methods WHERE provider_id = $1', [email]), 0);
        },
      };
    },
  })),
  {
    name: 'removing a member',
    arrange: async () => {
      const owner = await createPerson(running);
      const organization = await createOrganization(owner);
      const dev = await join(owner, organization, 'Dev');
      const holds = () => count('rbac.role_assignments WHERE scope_id = $1 AND user_id = $2', [organization.id, dev.userId]);
      return {
        run: () => owner.client.delete(`/api/organization-members/${dev.userId}?${inScope(organization)}`, owner.token),
        stands: async () => (await holds()) === 0,
        whole: async () => assert.equal(await isMember(organization.id, dev.userId), false),
        none: async () => assert.ok(await isMember(organization.id, dev.userId)),
      };
    },
  },
  {
    name: 'deleting an organization',
    arrange: async () => {
      const owner = await createPerson(running);
      const organization = await createOrganization(owner);
      const project = await createProject(owner, organization);
      await join(owner, organization, 'Dev');
      const [, projectId] = project.id.split(':');
      const roles = () => count(`rbac.tenants WHERE id = $1 AND deleted_at IS NULL`, [organization.id]);
      const projects = () => count('tenancy.projects WHERE id = $1 AND deleted_at IS NULL', [projectId]);
      return {
        run: () => owner.client.delete(`/api/organizations/${organization.id}?${inScope(organization)}`, owner.token),
        stands: async () => (await count('tenancy.organizations WHERE id = $1 AND deleted_at IS NULL', [organization.id])) === 0,
        whole: async () => assert.deepEqual([await roles(), await projects()], [0, 0]),
        none: async () => assert.deepEqual([await roles(), await projects()], [1, 1]),
      };
    },
  },
  {
    name: 'leaving the platform',
    arrange: async () => {
      const leaver = await createPerson(running);
      const alone = await createOrganization(leaver);
      const other = await createPerson(running);
      const shared = await createOrganization(other);
      const token = await invite(other, shared, leaver.email, 'Owner');
      dataOf(await leaver.client.post('/api/organization-invitations/accept', { token }));
      const lives = () => count('identity.users WHERE id = $1 AND deleted_at IS NULL', [leaver.userId]);
      const facts = async () => [
        await count('tenancy.accounts WHERE owner_id = $1 AND deleted_at IS NULL', [leaver.userId]),
        await count('tenancy.organizations WHERE id = $1 AND deleted_at IS NULL', [alone.id]),
        await count('rbac.role_assignments WHERE user_id = $1 AND scope_id = $2', [leaver.userId, shared.id]),
        (await isMember(shared.id, leaver.userId)) ? 1 : 0,
      ];
      return {
        run: () => leaver.client.delete('/api/me/accounts', leaver.token),
        stands: async () => (await lives()) === 0,
        whole: async () => assert.deepEqual(await facts(), [0, 0, 0, 0]),
        none: async () => assert.deepEqual(await facts(), [1, 1, 1, 1]),
      };
    },
  },
];

/** Nobody owes anybody anything: all events are delivered, nobody is half gone. */
async function settled(): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const [row] = await killer.query<{ open: string }>(
      `SELECT (SELECT count(*) FROM identity.outbox WHERE delivered_at IS NULL) + (SELECT count(*) FROM tenancy.outbox WHERE delivered_at IS NULL)
            + (SELECT count(*) FROM rbac.outbox WHERE delivered_at IS NULL) + (SELECT count(*) FROM keys.outbox WHERE delivered_at IS NULL)
            + (SELECT count(*) FROM tenancy.people WHERE closing_at IS NOT NULL) AS open`,
    );
    if (row?.open === '0') return;
    await sleep(100);
  }
  assert.fail('after 40 s something is still owed');
}

/** What must be true of the whole system at any rest. */
async function assertInvariants(): Promise<void> {
  const violations = await killer.query<{ fault: string; id: string }>(`
    SELECT 'organization without Owner' AS fault, o.id::text FROM tenancy.organizations o WHERE o.deleted_at IS NULL AND NOT EXISTS (
      SELECT FROM rbac.role_assignments a JOIN rbac.roles r ON r.id = a.role_id AND r.is_built_in AND r.rank = 1 WHERE a.scope_id = o.id::text)
    UNION ALL SELECT 'organization without its four roles', o.id::text FROM tenancy.organizations o WHERE o.deleted_at IS NULL AND (
      SELECT count(*) FROM rbac.organization_roles l JOIN rbac.roles r ON r.id = l.role_id AND r.is_built_in WHERE l.organization_id = o.id) <> 4
    UNION ALL SELECT 'membership without a person', m.organization_id || ' ' || m.user_id FROM tenancy.organization_users m
      WHERE NOT EXISTS (SELECT FROM identity.users u WHERE u.id = m.user_id AND u.deleted_at IS NULL)
    UNION ALL SELECT 'membership without a role', m.organization_id || ' ' || m.user_id FROM tenancy.organization_users m
      JOIN tenancy.organizations o ON o.id = m.organization_id AND o.deleted_at IS NULL
      WHERE NOT EXISTS (SELECT FROM rbac.role_assignments a WHERE a.scope_id = m.organization_id::text AND a.user_id = m.user_id)
    UNION ALL SELECT 'role assignment without a membership', a.scope_id || ' ' || a.user_id FROM rbac.role_assignments a
      JOIN rbac.tenants t ON t.tenant = a.tenant AND t.id = a.scope_id AND t.deleted_at IS NULL
      WHERE a.tenant = 'organization' AND NOT EXISTS (SELECT FROM tenancy.organization_users m
        JOIN tenancy.organizations o ON o.id = m.organization_id AND o.deleted_at IS NULL
        WHERE m.organization_id::text = a.scope_id AND m.user_id = a.user_id)
    UNION ALL SELECT 'user without an account', u.id::text FROM identity.users u WHERE u.deleted_at IS NULL AND u.home_tenant IS NULL
      AND NOT EXISTS (SELECT FROM tenancy.accounts c WHERE c.owner_id = u.id AND c.deleted_at IS NULL)
    UNION ALL SELECT 'account without a user', c.id::text FROM tenancy.accounts c WHERE c.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM identity.users u WHERE u.id = c.owner_id AND u.deleted_at IS NULL)`);
  assert.deepEqual(violations, []);
}

/** Connections to a process that was killed come back within seconds: until then its peers answer that it is not available. */
async function eventually<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === 20) throw error;
      await sleep(500);
    }
  }
}

describe('killed between any two steps', () => {
  for (const { name, arrange } of sagas) {
    it(name, async (test) => {
      const undisturbed = await eventually(arrange);
      await settled();
      const tables = await killer.tablesOf(undisturbed.run, settled);
      assert.ok(await undisturbed.stands());
      await undisturbed.whole();
      await assertInvariants();

      const steps: Step[] = tables.flatMap((table) => [
        { ...table, when: 'write' as const },
        { ...table, when: 'commit' as const },
      ]);
      const reached: string[] = [];
      for (const step of steps) {
        const killed = await eventually(arrange);
        await settled();
        if (!(await killer.killAt(step, killed.run))) continue;
        reached.push(stepName(step));
        await settled();
        await ((await killed.stands()) ? eventually(killed.whole) : killed.none());
        await assertInvariants();
      }
      assert.ok(reached.length >= tables.length, `only ${reached.length} of ${steps.length} steps were reached`);
      test.diagnostic(`${reached.length} steps: ${reached.join(', ')}`);
    });
  }
});
