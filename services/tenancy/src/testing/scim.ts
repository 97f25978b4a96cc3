/** A directory that speaks SCIM to a test service. */
import { newId } from '@tessera/kernel/ids';
import type { TestService } from './service.ts';

export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

type Headers = Readonly<Record<string, string>>;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export async function openDirectory(service: TestService, name = 'Acme') {
  const { owner, organizationId, scope } = await service.createOrganization(name);
  const accountId = newId();
  service.rbac.directories.add(`${organizationId}:${accountId}`);
  service.identity.serviceCredentials.add(accountId);
  const token = `service.${accountId}.${organizationId}.organization`;
  const ask = async (method: Method, path: string, body?: unknown, headers: Headers = {}) => {
    const response = await service.app.inject({
      method,
      url: `/scim/v2/${organizationId}${path}`,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }), ...headers },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const json = response.body === '' ? {} : response.json();
    return { status: response.statusCode, json, headers: response.headers };
  };
  /** A proven domain of the organization. */
  const prove = async (domain: string) => {
    await service.query(
      `INSERT INTO domains (id, organization_id, domain, status, challenge, verified_at, seen_at, created_by) VALUES ($1, $2, $3, 'verified', 'x', now(), now(), $1)`,
      [newId(), organizationId, domain],
    );
  };
  const members = async (): Promise<string[]> =>
    (await service.query<{ user_id: string }>('SELECT user_id FROM organization_users WHERE organization_id = $1', [organizationId])).map(
      ({ user_id }) => user_id,
    );
  const filtered = (filter: string, more = '') => ask('GET', `/Users?filter=${encodeURIComponent(filter)}${more}`);
  const create = (userName: string, more: object = {}) => ask('POST', '/Users', { schemas: [userUrn], userName, ...more });
  const patch = (id: string, operations: readonly object[], headers: Headers = {}) =>
    ask('PATCH', `/Users/${id}`, { schemas: [patchUrn], Operations: operations }, headers);
  const createGroup = (displayName: string, memberIds: readonly string[] = [], more: object = {}) =>
    ask('POST', '/Groups', { schemas: [groupUrn], displayName, members: memberIds.map((value) => ({ value })), ...more });
  const patchGroup = (id: string, operations: readonly object[], headers: Headers = {}) =>
    ask('PATCH', `/Groups/${id}`, { schemas: [patchUrn], Operations: operations }, headers);
  return { owner, organizationId, scope, accountId, token, ask, prove, members, filtered, create, patch, createGroup, patchGroup };
}

export type Directory = Awaited<ReturnType<typeof openDirectory>>;
