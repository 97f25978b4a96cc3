/** A customer, made as customers make themselves: through the API. */
import { randomUUID } from 'node:crypto';
import type { Stack } from '../../../tools/stack/stack.ts';
import { type Answer, type Client, createClient } from '../client.ts';
import { waitForMail } from '../mail.ts';

export const PASSWORD = 'Correct-Horse7!';

export type Person = { readonly email: string; readonly userId: string; token: string; refreshToken: string };
export type Tenant = {
  readonly client: Client;
  readonly owner: Person;
  readonly accountId: string;
  readonly organizationId: string;
  readonly projectId: string;
};

export function data({ status, body }: Answer): Answer['body'] {
  if (status >= 300 || body.success !== true) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.data;
}

export function credentials(email: string) {
  return { provider: 'email', providerId: email, providerData: { password: PASSWORD } };
}

export async function signIn(client: Client, email: string): Promise<Pick<Person, 'token' | 'refreshToken'>> {
  const { accessToken, refreshToken } = data(await client.post('/api/auth/login', credentials(email)));
  return { token: accessToken, refreshToken };
}

/** Registers a user with an organization account, who verifies the address in the session. */
export async function registerPerson({ dataDir }: Stack, client: Client, name: string): Promise<Person & { readonly accountId: string }> {
  const email = `${name}-${randomUUID()}@example.com`;
  const { account, accessToken } = data(await client.post('/api/auth/register', { name, type: 'organization', ...credentials(email) }));
  const mail = await waitForMail(dataDir, email);
  data(await client.post('/api/auth/verify-email', { token: mail.data.token }, accessToken));
  return { email, userId: account.ownerId, accountId: account.id, ...(await signIn(client, email)) };
}

export async function createTenant(stack: Stack, name: string): Promise<Tenant> {
  const client = createClient(stack.url, `tessera-bench ${name}`);
  const owner = await registerPerson(stack, client, name);
  const post = async (path: string, body: unknown) => data(await client.post(path, body, owner.token));
  const organization = await post('/api/organizations', {
    scope: { tenant: 'account', id: owner.accountId },
    name: `${name} ${randomUUID()}`,
  });
  const scope = { tenant: 'organization', id: organization.id };
  const project = await post('/api/projects', { scope, name: 'bench' });
  return { client, owner, accountId: owner.accountId, organizationId: organization.id, projectId: project.id };
}
