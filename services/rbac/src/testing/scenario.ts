import { expect } from '@jest/globals';
import type { Scope } from '@tessera/kernel/scope';
import type { Json, TestStack } from './service.ts';

/** An organization with a project, and clients that act as its Owner. */
export async function makeWorkshop(stack: TestStack) {
  const acme = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const as = (userId: string, of: Scope = project) => {
    const token = stack.token({ userId });
    const query = `scopeId=${of.id}&tenant=${of.tenant}`;
    const post = (path: string, body: object) => stack.request('POST', `/api/${path}`, { token, body: { scope: of, ...body } });
    return {
      token,
      post,
      list: (path: string, more = '') => stack.request('GET', `/api/${path}?${query}${more}`, { token }),
      patch: (path: string, body: object) => stack.request('PATCH', `/api/${path}`, { token, body: { scope: of, ...body } }),
      remove: (path: string, more = '') => stack.request('DELETE', `/api/${path}?${query}${more}`, { token }),
      make: async (path: string, body: object): Promise<Json> => {
        const answer = await post(path, body);
        expect(answer.status).toStrictEqualFor(answer.json, 201);
        return answer.data;
      },
    };
  };
  return { acme, project, as, owner: as(acme.ownerId), inOrganization: as(acme.ownerId, acme.scope) };
}

export function names(list: Json | undefined) {
  return list?.map(({ name }) => name);
}
export function ids(...rows: Json[]) {
  return rows.map(({ id }) => `${id}`);
}
