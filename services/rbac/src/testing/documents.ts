import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import type { TestStack } from './service.ts';

/** Makes resources, permissions under conditions and roles in a project, as its Owner. */
export function documentsIn(stack: TestStack, project: Scope, token: string) {
  const post = async (path: string, body: object): Promise<string> => {
    const { status, data, text } = await stack.request('POST', path, { token, body: { scope: project, ...body } });
    if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
    return `${data['id']}`;
  };
  return {
    post,
    resource: (slug: string, actions: readonly string[]) => post('/api/resources', { name: slug, slug, actions }),
    /** A role that gives these actions of the resource, each under its condition. */
    role: async (name: string, resourceId: string, actions: Readonly<Record<string, object | null>>): Promise<string> => {
      const permissionIds: string[] = [];
      for (const [action, condition] of Object.entries(actions))
        permissionIds.push(await post('/api/permissions', { name: `${name} ${action}`, action, resourceId, condition }));
      return post('/api/roles', { name, groupIds: [await post('/api/groups', { name: `group of ${name} ${newId()}`, permissionIds })] });
    },
  };
}
