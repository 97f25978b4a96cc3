/** An organization with service accounts, and their tokens. */
import { expect } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { registered, type TestService } from './service.ts';

type Json = ReturnType<typeof JSON.parse>;
export const serviceAccountsPath = '/api/service-accounts';
export const form = { 'content-type': 'application/x-www-form-urlencoded' };

export function serviceAccountsOf(service: TestService) {
  const { ask } = service;
  const path = serviceAccountsPath;

  async function makeWorld() {
    const owner = await registered(service);
    const scope = { tenant: 'organization', id: newId() };
    const roleId = newId();
    const create = (fields: object = {}, token = owner.accessToken) =>
      ask('POST', path, { token, body: { scope, name: 'Deployer', roleIds: [roleId], ...fields } });
    const at = (id: string, more = '') => `${path}/${id}${more}?tenant=${scope.tenant}&scopeId=${scope.id}`;
    const make = async (fields: object = {}) => {
      const { status, body } = await create(fields);
      expect(status).toStrictEqualFor(body, 201);
      return body.data;
    };
    const credential = (id: string, fields: object = {}, token = owner.accessToken) =>
      ask('POST', `${path}/${id}/credentials`, { token, body: { scope, type: 'secret', ...fields } });
    const makeSecret = async (id: string, fields: object = {}): Promise<Json> => {
      const { status, body } = await credential(id, fields);
      expect(status).toStrictEqualFor(body, 201);
      return body.data;
    };
    const patch = (id: string, fields: object, token = owner.accessToken) =>
      ask('PATCH', `${path}/${id}`, { token, body: { scope, ...fields } });
    const remove = (id: string, more = '', token = owner.accessToken) => ask('DELETE', at(id, more), { token });
    const get = (id: string) => ask('GET', at(id), { token: owner.accessToken });
    return { owner, scope, roleId, create, make, credential, makeSecret, patch, remove, get };
  }

  function tokenOf(clientId: string, secret: string, more: Readonly<Record<string, string>> = {}, ip?: string) {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret, ...more });
    return ask('POST', '/oauth/token', { headers: form, body: body.toString(), ...(ip === undefined ? {} : { ip }) });
  }

  async function issued(clientId: string, secret: string): Promise<string> {
    const { status, body } = await tokenOf(clientId, secret);
    expect(status).toStrictEqualFor(body, 200);
    return body.access_token;
  }

  /** Whether the service still takes the token: it may read. */
  const takes = async (token: string, { scope }: { scope: { tenant: string; id: string } }) =>
    (await ask('GET', `${path}?tenant=${scope.tenant}&scopeId=${scope.id}`, { token })).status;

  const auditOf = async (targetId: string, action: string) =>
    service.database.query<Json>(
      sql(
        'SELECT outcome, code, actor_type, actor_id, token_id, detail FROM audit_log WHERE target_id = $1 AND action = $2 ORDER BY at, id',
      ),
      [targetId, action],
    );

  const post = (fields: Readonly<Record<string, string>>, ip?: string) =>
    ask('POST', '/oauth/token', { headers: form, body: new URLSearchParams(fields).toString(), ...(ip === undefined ? {} : { ip }) });

  return { makeWorld, tokenOf, issued, takes, auditOf, post };
}

export type ServiceAccountsWorld = Awaited<ReturnType<ReturnType<typeof serviceAccountsOf>['makeWorld']>>;
