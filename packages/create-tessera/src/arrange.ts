/** What the application needs in Tessera: a project with a resource, two roles and an app. */
import { createClient, type TesseraClient } from '@tessera/client';
import { Refusal, type Wish } from './wish.ts';

export type Arranged = { readonly issuer: string; readonly clientId: string; readonly clientSecret: string; readonly scope: string };

type Place = Pick<Wish, 'name' | 'url' | 'organization' | 'port' | 'token'>;

export async function arrange({ name, url, organization, port, token }: Place): Promise<Arranged> {
  const client = createClient({ baseUrl: url, session: async () => token });
  const organizationId = await organizationOf(client, organization, name);
  const project = await client.createProject({ scope: { tenant: 'organization', id: organizationId }, name });
  const scope = { tenant: 'organizationProject', id: `${organizationId}:${project.id}` } as const;
  const note = await client.createResource({ scope, slug: 'note', name: 'Note', actions: ['read', 'write'], createPermissions: true });
  const made = note.permissions ?? [];
  const idsOf = (...actions: readonly string[]) => made.filter(({ action }) => actions.includes(action)).map(({ id }) => id);
  const role = async (roleName: string, ...actions: readonly string[]) => {
    const group = await client.createGroup({ scope, name: `${roleName}s`, permissionIds: idsOf(...actions) });
    return client.createRole({ scope, name: roleName, groupIds: [group.id] });
  };
  const reader = await role('Reader', 'read');
  await role('Writer', 'read', 'write');
  const baseUrl = `http://localhost:${port}`;
  const app = await client.createProjectApp({
    scope,
    name,
    type: 'web',
    redirectUris: [`${baseUrl}/auth/callback`],
    postLogoutRedirectUris: [`${baseUrl}/`],
    scopes: ['note:read', 'note:write'],
    allowSignUp: true,
    signUpRoleId: reader.id,
  });
  if (app.clientSecret === undefined) throw new Refusal('Tessera gave the app no secret.');
  const issuer = `${url}/org/${organizationId}/prj/${project.id}`;
  return { issuer, clientId: app.clientId, clientSecret: app.clientSecret, scope: `${scope.tenant}:${scope.id}` };
}

/** The one that was named, the only one, or a new one where the person has none. */
async function organizationOf(client: TesseraClient, wanted: string | undefined, name: string): Promise<string> {
  const { organizations = [], accounts } = await client.getMe({ relations: ['organizations'] });
  const named = organizations.find(({ id, slug }) => id === wanted || slug === wanted);
  if (named !== undefined) return named.id;
  const list = organizations.map(({ id, slug }) => `  ${slug}  ${id}`).join('\n');
  if (wanted !== undefined) throw new Refusal(`You are not in the organization ${wanted}. You are in:\n${list}`);
  const [only, ...others] = organizations;
  if (others.length > 0) throw new Refusal(`You are in several organizations. Name one with --organization:\n${list}`);
  if (only !== undefined) return only.id;
  const account = accounts.find(({ type }) => type === 'organization');
  if (account === undefined) throw new Refusal('You have no organization, and your account makes none. Let somebody invite you to one.');
  return (await client.createOrganization({ scope: { tenant: 'account', id: account.id }, name })).id;
}
