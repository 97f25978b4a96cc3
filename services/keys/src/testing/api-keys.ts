import { expect } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { joinTokenScope } from '@tessera/kernel/scope';
import type { TestStack } from './service.ts';

export type Project = Awaited<ReturnType<TestStack['project']>>;
export type Body = Record<string, unknown>;

type Place = { readonly token: string; readonly scope: { readonly tenant: string; readonly id: string } };

/** The calls that tests of API keys make. */
export function apiKeysOf(stack: () => TestStack) {
  const create = ({ token, scope, roleId }: Project, body: Body = {}) =>
    stack().request('POST', '/api/api-keys', { token, body: { scope, name: 'key', roleId, ...body } });
  const exchange = (body: Body, replica = 0) => stack().request('POST', '/api/auth/token', { body, replica });
  return {
    create,
    exchange,
    async createKey(project: Project, body: Body = {}) {
      const { status, data, text } = await create(project, body);
      expect(status).toStrictEqualFor(text, 201);
      const { id, clientId, clientSecret } = data;
      return { id: String(id), credentials: { clientId, clientSecret, scope: body['scope'] ?? project.scope } };
    },
    revoke: ({ token, scope }: Place, id: string) => stack().request('POST', `/api/api-keys/${id}/revoke`, { token, body: { scope } }),
    remove: ({ token, scope }: Place, id: string, more = '') =>
      stack().request('DELETE', `/api/api-keys/${id}?scopeId=${scope.id}&tenant=${scope.tenant}${more}`, { token }),
    list: ({ token, scope }: Place, more = '') =>
      stack().request('GET', `/api/api-keys?scopeId=${scope.id}&tenant=${scope.tenant}${more}`, { token }),
    /** Another user of the project, with a role. */
    addUser({ scope }: Project, roleVerdict: string) {
      const { people, roles, verdicts } = stack().peers;
      const userId = newId();
      const roleId = newId();
      people.add(`${scope.id} ${userId}`);
      roles.set(`${scope.id} ${userId}`, [roleId]);
      verdicts.set(roleId, roleVerdict);
      return { userId, scope: joinTokenScope(scope, userId), roleId };
    },
  };
}
