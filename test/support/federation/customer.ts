/** A customer of the installation under test: a proven domain and a connection to its provider. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { inScope } from '../client.ts';
import type { Records } from '../dns.ts';
import type { SystemStack } from '../shared-stack.ts';
import { builtInRole, createOrganization, createPerson, dataOf } from '../world.ts';

export type Customer = Awaited<ReturnType<typeof createCustomer>>;

export async function createCustomer(stack: Pick<SystemStack, 'url' | 'dataDir'>, dns: Pick<Records, 'show'>) {
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner, 'Birch');
  const domain = `birch-${randomUUID().slice(0, 8)}.example.com`;
  const claimed = dataOf(await owner.client.post('/api/domains', { scope: organization, domain }, owner.token));
  dns.show(claimed.challenge.name, { texts: [claimed.challenge.value] });
  const proven = dataOf(await owner.client.post(`/api/domains/${claimed.id}/verify`, { scope: organization }, owner.token));
  expect(proven.status).toBe('verified');
  const defaultRoleId = await builtInRole(owner, organization, 'Viewer');

  async function connect(fields: object) {
    const body = { scope: organization, name: 'Birch login', defaultRoleId, ...fields };
    return dataOf(await owner.client.post('/api/connections', body, owner.token));
  }
  async function change(id: string, fields: object) {
    return dataOf(await owner.client.patch(`/api/connections/${id}`, { scope: organization, ...fields }, owner.token));
  }
  /** By address. */
  async function members(): Promise<{ readonly userId: string; readonly email: string; readonly roleNames?: readonly string[] }[]> {
    return dataOf(await owner.client.get(`/api/organization-members?${inScope(organization, 'limit=50')}`, owner.token)).items;
  }
  async function reasons(): Promise<string[]> {
    const path = `/api/audit-events?${inScope(organization, 'action=oauth.login&limit=50')}`;
    const { items } = dataOf(await owner.client.get(path, owner.token));
    return items.flatMap((row: { outcome: string; detail?: { reason?: string } }) =>
      row.detail?.reason === undefined ? [] : [row.detail.reason],
    );
  }
  return { owner, organization, domain, connect, change, members, reasons };
}
