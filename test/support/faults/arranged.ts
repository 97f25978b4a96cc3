/** Changes that cross services, each with its checks for a complete change and for none. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { createClient, inScope, type ScopeValue } from '../client.ts';
import { mailsTo, waitForMail } from '../mail.ts';
import type { SystemStack } from '../shared-stack.ts';
import { builtInRole, createOrganization, createPerson, createProject, dataOf, PASSWORD, type Person } from '../world.ts';
import type { Killer } from './kill.ts';

/** The change that is interrupted, and the checks for a complete change and for none. */
export type Arranged = { run(): Promise<unknown>; stands(): Promise<boolean>; whole(): Promise<void>; none(): Promise<void> };
/** By the name of the change: sets it up anew. */
export type Sagas = Readonly<Record<string, () => Promise<Arranged>>>;

export function sagasOf(running: SystemStack, killer: Killer): Sagas {
  const count = async (from: string, values: unknown[]): Promise<number> =>
    Number((await killer.query<{ n: string }>(`SELECT count(*) AS n FROM ${from}`, values))[0]?.n);
  const isMember = async (organizationId: string, userId: string): Promise<boolean> =>
    (await count('tenancy.organization_users WHERE organization_id = $1 AND user_id = $2', [organizationId, userId])) === 1;

  const logs = ['identity', 'tenancy', 'rbac', 'keys'].map((service) => `SELECT operation, outcome, target_id FROM ${service}.audit_log`);
  /** Records of the operation in all services. */
  const records = (operation: string, targetId: string): Promise<number> =>
    count(`(${logs.join(' UNION ALL ')}) AS log WHERE outcome = 'ok' AND operation = $1 AND target_id = $2`, [operation, targetId]);
  const holds = (scope: ScopeValue, userId: string, roleId: string): Promise<number> =>
    count('rbac.role_assignments WHERE scope_id = $1 AND user_id = $2 AND role_id = $3', [scope.id, userId, roleId]);

  const invite = async (owner: Person, organization: { tenant: string; id: string }, email: string, role: string): Promise<string> => {
    const roleId = await builtInRole(owner, organization, role);
    dataOf(await owner.client.post('/api/organization-invitations/invite', { scope: organization, email, roleId }, owner.token));
    return (await waitForMail(running.dataDir, email, 'invitation')).data.token ?? '';
  };

  const join = async (owner: Person, organization: { tenant: string; id: string }, role: string): Promise<Person> => {
    const person = await createPerson(running);
    const token = await invite(owner, organization, person.email, role);
    dataOf(await person.client.post('/api/organization-invitations/accept', { token }, person.token));
    return person;
  };

  /** A project with one of everything that other services keep of it. */
  const furnish = async (owner: Person, parent: ScopeValue): Promise<ScopeValue> => {
    const scope = await createProject(owner, parent);
    const make = async (path: string, body: object) => dataOf(await owner.client.post(path, { scope, ...body }, owner.token));
    const { id: roleId } = await make('/api/roles', { name: 'Robot' });
    const { clientId, clientSecret } = await make('/api/api-keys', { name: 'Robot', roleId });
    await make('/api/auth/token', { clientId, clientSecret });
    await make('/api/project-apps', { name: 'App', redirectUris: ['https://app.example.com/callback'] });
    return scope;
  };
  /** What exists of it in tenancy, rbac, keys (API and signing keys) and identity (apps). */
  const lives = async ({ id }: ScopeValue): Promise<readonly number[]> => {
    const [, projectId] = id.split(':');
    return Promise.all([
      count('tenancy.projects WHERE id = $1 AND deleted_at IS NULL', [projectId]),
      count('rbac.tenants WHERE id = $1 AND deleted_at IS NULL', [id]),
      count('keys.placed_api_keys WHERE project_id = $1 AND revoked_at IS NULL AND deleted_at IS NULL', [projectId]),
      count('keys.signing_keys WHERE scope_id = $1', [id]),
      count('identity.project_apps WHERE scope_id = $1 AND deleted_at IS NULL', [id]),
    ]);
  };
  const everything = [1, 1, 1, 2, 1];
  const nothing = [0, 0, 0, 0, 0];

  return {
    registration: async () => {
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
          // A user without an account.
          expect(accounts).toBe(1);
          // Verification mails.
          expect((await mailsTo(running.dataDir, email)).filter(({ template }) => template === 'verify-email')).toHaveLength(1);
        },
        none: async () => expect(await count('tenancy.people WHERE email = $1', [email])).toBe(0),
      };
    },
    'opening the second account': async () => {
      const person = await createPerson(running);
      const accounts = () => count('tenancy.accounts WHERE owner_id = $1 AND deleted_at IS NULL', [person.userId]);
      return {
        run: () => person.client.post('/api/me/accounts', {}, person.token),
        stands: async () => (await accounts()) === 2,
        whole: async () => {
          const { items } = dataOf(await person.client.get('/api/accounts', person.token));
          for (const { id } of items) await createProject(person, { tenant: 'account', id });
        },
        // A second request creates it.
        none: async () => void (await eventually(async () => dataOf(await person.client.post('/api/me/accounts', {}, person.token)))),
      };
    },
    'creating an organization': async () => {
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
        none: async () => expect(await count('tenancy.organization_users WHERE user_id = $1', [owner.userId])).toBe(0),
      };
    },
    ...Object.fromEntries(
      (['known', 'new'] as const).map((kind) => [
        `acceptance by a ${kind} user`,
        async () => {
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
              expect(items.find((member: { email: string }) => member.email === email)?.role?.name).toBe('Dev');
            },
            none: async () => {
              expect(await count('tenancy.organization_users WHERE email = $1', [email])).toBe(0);
              if (kind === 'new') expect(await count('identity.authentication_methods WHERE provider_id = $1', [email])).toBe(0);
            },
          };
        },
      ]),
    ),
    'creating a project': async () => {
      const owner = await createPerson(running);
      const scope = await createOrganization(owner);
      const { id: tag } = dataOf(await owner.client.post('/api/tags', { scope, name: 'red', color: 'red' }, owner.token));
      const projects = async () => dataOf(await owner.client.get(`/api/projects?${inScope(scope)}`, owner.token)).items;
      return {
        run: () => owner.client.post('/api/projects', { scope, name: 'Rocket', tagIds: [tag], primaryTagId: tag }, owner.token),
        stands: async () => (await eventually(projects)).length === 1,
        whole: async () => {
          const [project] = await projects();
          expect(project.primaryTagId).toBe(tag);
          const inside = { tenant: 'organizationProject', id: `${scope.id}:${project.id}` };
          dataOf(await owner.client.post('/api/roles', { scope: inside, name: 'Robot' }, owner.token));
        },
        none: async () => expect(await count('rbac.tenants WHERE id LIKE $1', [`${scope.id}:%`])).toBe(0),
      };
    },
    'changing a project’s name and tags': async () => {
      const owner = await createPerson(running);
      const scope = await createOrganization(owner);
      const { id: tag } = dataOf(await owner.client.post('/api/tags', { scope, name: 'red', color: 'red' }, owner.token));
      const [, id] = (await createProject(owner, scope, 'Before')).id.split(':');
      const tags = () => count('rbac.organization_project_tags WHERE project_id = $1 AND is_primary', [id]);
      return {
        run: () => owner.client.patch(`/api/projects/${id}`, { scope, name: 'After', tagIds: [tag], primaryTagId: tag }, owner.token),
        stands: async () => (await count(`tenancy.projects WHERE id = $1 AND name = 'After'`, [id])) === 1,
        whole: async () => expect(await tags()).toBe(1),
        none: async () => expect(await tags()).toBe(0),
      };
    },
    'changing a member': async () => {
      const owner = await createPerson(running);
      const scope = await createOrganization(owner);
      const { userId } = await join(owner, scope, 'Viewer');
      const roleId = await builtInRole(owner, scope, 'Dev');
      const recorded = () => records('updateOrganizationMember', userId);
      return {
        run: () => owner.client.patch(`/api/organization-members/${userId}`, { scope, roleId }, owner.token),
        stands: async () => (await holds(scope, userId, roleId)) === 1,
        whole: async () => expect(await recorded()).toBe(1),
        none: async () => expect(await recorded()).toBe(0),
      };
    },
    'changing a user': async () => {
      const owner = await createPerson(running);
      const scope = await createOrganization(owner);
      const [viewer, dev] = await Promise.all(['Viewer', 'Dev'].map((name) => builtInRole(owner, scope, name)));
      const { id: tag } = dataOf(await owner.client.post('/api/tags', { scope, name: 'red', color: 'red' }, owner.token));
      const { id } = dataOf(await owner.client.post('/api/users', { scope, name: 'Uma', roleIds: [viewer] }, owner.token));
      const facts = async () => [
        await count(`identity.users WHERE id = $1 AND name = 'Una'`, [id]),
        await count('rbac.entity_tags WHERE entity_id = $1 AND tag_id = $2', [id, tag]),
        await records('updateUser', id),
      ];
      return {
        run: () => owner.client.patch(`/api/users/${id}`, { scope, name: 'Una', roleIds: [dev], tagIds: [tag] }, owner.token),
        stands: async () => (await holds(scope, id, dev ?? '')) === 1,
        whole: async () => expect(await facts()).toStrictEqual([1, 1, 1]),
        none: async () => expect(await facts()).toStrictEqual([0, 0, 0]),
      };
    },
    'deleting a user': async () => {
      const owner = await createPerson(running);
      const scope = await createOrganization(owner);
      const viewer = await builtInRole(owner, scope, 'Viewer');
      const { id } = dataOf(await owner.client.post('/api/users', { scope, name: 'Uma', roleIds: [viewer] }, owner.token));
      const facts = async () => [
        await count('identity.users WHERE id = $1', [id]),
        (await isMember(scope.id, id)) ? 1 : 0,
        await records('deleteUser', id),
      ];
      return {
        run: () => owner.client.delete(`/api/users/${id}?${inScope(scope, 'hardDelete=true')}`, owner.token),
        stands: async () => (await holds(scope, id, viewer)) === 0,
        whole: async () => expect(await facts()).toStrictEqual([0, 0, 1]),
        none: async () => expect(await facts()).toStrictEqual([1, 1, 0]),
      };
    },
    'removing a member': async () => {
      const owner = await createPerson(running);
      const organization = await createOrganization(owner);
      const dev = await join(owner, organization, 'Dev');
      const scope = await createProject(owner, organization);
      const roleId = await builtInRole(owner, organization, 'Viewer');
      dataOf(await dev.client.post('/api/api-keys', { scope, name: 'Mine', roleId }, dev.token));
      const held = () => count('rbac.role_assignments WHERE scope_id = $1 AND user_id = $2', [organization.id, dev.userId]);
      const facts = async () => [
        await isMember(organization.id, dev.userId),
        await count('keys.api_keys WHERE created_by = $1 AND revoked_at IS NULL', [dev.userId]),
        await records('removeOrganizationMember', dev.userId),
      ];
      return {
        run: () => owner.client.delete(`/api/organization-members/${dev.userId}?${inScope(organization)}`, owner.token),
        stands: async () => (await held()) === 0,
        whole: async () => expect(await facts()).toStrictEqual([false, 0, 1]),
        none: async () => expect(await facts()).toStrictEqual([true, 1, 0]),
      };
    },
    'deleting a project': async () => {
      const owner = await createPerson(running);
      const parent = await createOrganization(owner);
      const project = await furnish(owner, parent);
      const [, projectId] = project.id.split(':');
      return {
        run: () => owner.client.delete(`/api/projects/${projectId}?${inScope(parent)}`, owner.token),
        stands: async () => (await lives(project))[0] === 0,
        whole: async () => expect(await lives(project)).toStrictEqual(nothing),
        none: async () => expect(await lives(project)).toStrictEqual(everything),
      };
    },
    'deleting an organization': async () => {
      const owner = await createPerson(running);
      const organization = await createOrganization(owner);
      const project = await furnish(owner, organization);
      await join(owner, organization, 'Dev');
      const roles = () => count(`rbac.tenants WHERE id = $1 AND deleted_at IS NULL`, [organization.id]);
      return {
        run: () => owner.client.delete(`/api/organizations/${organization.id}?${inScope(organization)}`, owner.token),
        stands: async () => (await count('tenancy.organizations WHERE id = $1 AND deleted_at IS NULL', [organization.id])) === 0,
        whole: async () => expect([await roles(), await lives(project)]).toStrictEqual([0, nothing]),
        none: async () => expect([await roles(), await lives(project)]).toStrictEqual([1, everything]),
      };
    },
    'leaving the platform': async () => {
      const leaver = await createPerson(running);
      const project = await furnish(leaver, leaver.account);
      const alone = await createOrganization(leaver);
      const other = await createPerson(running);
      const shared = await createOrganization(other);
      const token = await invite(other, shared, leaver.email, 'Owner');
      dataOf(await leaver.client.post('/api/organization-invitations/accept', { token }, leaver.token));
      const isThere = () => count('identity.users WHERE id = $1 AND deleted_at IS NULL', [leaver.userId]);
      const facts = async () => [
        await count('tenancy.accounts WHERE owner_id = $1 AND deleted_at IS NULL', [leaver.userId]),
        await count('tenancy.organizations WHERE id = $1 AND deleted_at IS NULL', [alone.id]),
        await count('rbac.role_assignments WHERE user_id = $1 AND scope_id = $2', [leaver.userId, shared.id]),
        (await isMember(shared.id, leaver.userId)) ? 1 : 0,
      ];
      return {
        run: () => leaver.client.delete('/api/me/accounts', leaver.token),
        stands: async () => (await isThere()) === 0,
        whole: async () => expect([await facts(), await lives(project)]).toStrictEqual([[0, 0, 0, 0], nothing]),
        none: async () => expect([await facts(), await lives(project)]).toStrictEqual([[1, 1, 1, 1], everything]),
      };
    },
  };
}

const OWED = `
  SELECT 'identity event' AS what FROM identity.outbox WHERE delivered_at IS NULL UNION ALL SELECT 'tenancy event' FROM tenancy.outbox WHERE delivered_at IS NULL
  UNION ALL SELECT 'rbac event' FROM rbac.outbox WHERE delivered_at IS NULL UNION ALL SELECT 'keys event' FROM keys.outbox WHERE delivered_at IS NULL
  UNION ALL SELECT 'mail' FROM identity.mail_jobs WHERE done_at IS NULL UNION ALL SELECT 'closing' FROM tenancy.people WHERE closing_at IS NOT NULL`;
/** A process that dies while it sends a mail keeps its lease for a minute. */
const PATIENCE_SECONDS = 90;

/** The system is idle: all events are delivered, all mails sent, all deletions complete. */
export async function settled(killer: Killer): Promise<void> {
  const until = Date.now() + PATIENCE_SECONDS * 1_000;
  for (;;) {
    const owed = await killer.query<{ what: string }>(OWED);
    if (owed.length === 0) return;
    if (Date.now() > until) throw new Error(`after ${PATIENCE_SECONDS} s this is still owed: ${owed.map(({ what }) => what).join(', ')}`);
    await sleep(100);
  }
}

/** Connections to a killed process recover within seconds; until then its peers respond 503. */
export async function eventually<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === 20) throw error;
      await sleep(500);
    }
  }
}
