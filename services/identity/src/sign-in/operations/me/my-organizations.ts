/** The caller's organizations, and what each uses of other organizations. */
import { Id, type RestRelation } from '@tessera/kernel/operation';
import Type from 'typebox';
import { ignoreUnknownMethod } from '../../../ground/peers/unknown-method.ts';
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
  scopeOf: () => undefined,
  schema: Type.Array(MyOrganization),
  load: async (rows, { actor, deps: { tenancy, roles } }) => {
    if (actor.kind === 'anonymous' || actor.claims.type !== 'session') return rows.map(() => []);
    const { userId, subject } = actor;
    const [known, held] = await Promise.all([
      ignoreUnknownMethod(tenancy.listOrganizations({ userId })),
      ignoreUnknownMethod(roles.listMemberRoles({ userId })),
    ]);
    const roleIn = new Map(held?.roles.map(({ organizationId, name }) => [organizationId, name]));
    const { within } = subject;
    const shown = known?.organizations.filter(({ organizationId }) => within === undefined || organizationId === within);
    const organizations = (shown ?? []).map(({ organizationId: id, name, slug, grants }) => ({
      id,
      name,
      slug,
      role: roleIn.get(id) ?? null,
      grants: grants.map(({ grantId, projectId, name: project }) => ({
        id: grantId,
        projectId,
        name: project,
        scope: { tenant: 'organizationProject', id: `${id}:${projectId}` },
      })),
    }));
    return rows.map(() => organizations);
  },
};
