/** The caller's organizations, and what each uses of other organizations. */
import { ignoreUnknownMethod } from '@tessera/kernel/grpc';
import { Id, type RestRelation } from '@tessera/kernel/operation';
import Type from 'typebox';
import type { SignInDeps } from '../../deps.ts';

const Grant = Type.Object({
  id: Id,
  projectId: Id,
  name: Type.String(),
  scope: Type.Object({ tenant: Type.String(), id: Type.String() }, { description: 'Where the organization uses the project' }),
});

export const MyOrganization = Type.Object({
  id: Id,
  name: Type.String(),
  slug: Type.String(),
  role: Type.Union([Type.String(), Type.Null()], { description: 'The highest role of the person' }),
  grants: Type.Array(Grant),
});

/** Asked of two services at once, only when the request wants it. Nothing for keys and apps. */
export const myOrganizations: RestRelation<SignInDeps> = {
  permission: { none: 'the caller’s own organizations' },
  // Of which a supporter sees the one that has allowed it, and its use of the one project.
  support: 'allowed',
  scopeOf: () => undefined,
  schema: Type.Array(MyOrganization),
  load: async (rows, { actor, deps: { tenancy, roles } }) => {
    if (actor.kind === 'anonymous' || actor.claims.type !== 'session') return rows.map(() => []);
    const { userId, subject, claims } = actor;
    const { within } = subject;
    const { support } = claims;
    const isShown = (organizationId: string) =>
      (within === undefined || organizationId === within) && (support === undefined || organizationId === support.organizationId);
    const isUsed = (projectId: string) => support === undefined || support.project.id.endsWith(`:${projectId}`);
    const [known, held] = await Promise.all([
      ignoreUnknownMethod(tenancy.listOrganizations({ userId })),
      ignoreUnknownMethod(roles.listMemberRoles({ userId })),
    ]);
    const roleIn = new Map(held?.roles.map(({ organizationId, name }) => [organizationId, name]));
    const shown = (known?.organizations ?? []).filter(({ organizationId }) => isShown(organizationId));
    const organizations = shown.map(({ organizationId: id, name, slug, grants }) => ({
      id,
      name,
      slug,
      role: roleIn.get(id) ?? null,
      grants: grants
        .filter(({ projectId }) => isUsed(projectId))
        .map(({ grantId, projectId, name: project }) => ({
          id: grantId,
          projectId,
          name: project,
          scope: { tenant: 'organizationProject', id: `${id}:${projectId}` },
        })),
    }));
    return rows.map(() => organizations);
  },
};
