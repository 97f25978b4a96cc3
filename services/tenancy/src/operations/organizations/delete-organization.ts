import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { parseScope } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { projectScope } from '../../domain/project.ts';
import { organizationDeleted } from '../../events.ts';
import { keepReaders } from '../../storage/ended-organizations.ts';
import { deleteOrganization as remove } from '../../storage/organizations.ts';
import { listProjectIds } from '../../storage/projects.ts';
import { recordEnded } from '../project-grants/project-grant.ts';
import { enterOrganizationScope, organizationScopes, requireOrganizationRight } from './access.ts';
import { OrganizationSchema } from './organization.ts';

export const deleteOrganization = operation({
  name: 'deleteOrganization',
  summary: 'Delete an organization with everything in it: projects, memberships, invitations, roles, keys and apps',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, hardDelete: Type.Optional(Type.Boolean()) }),
  output: OrganizationSchema,
  access: { permission: 'Organization:Delete' },
  scopes: organizationScopes,
  verification: 'organization',
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'organization.deleted',
  events: ['grant.changed', 'owners.told', 'organization.deleted'],
  leaves: 'nothing',
  changesDocuments: true,
  rest: { method: 'DELETE', path: '/api/organizations/:id' },
  graphql: { field: 'deleteOrganization', type: 'Organization' },
  /** Asked before, because all of it ends with it. The caller becomes no reader by deleting it. */
  prepare: async ({ id }, context) => {
    await requireOrganizationRight(id, 'Delete', context);
    const { deps } = context;
    const scope = { tenant: 'organization', id } as const;
    const projectIds = await deps.database.scoped(parseScope(scope), (tx) => listProjectIds(tx, id), { readOnly: true });
    const scopes = [scope, ...projectIds.map((projectId) => projectScope(scope, projectId))];
    const [readers, counts] = await Promise.all([deps.logReadersOf(id), deps.countsOf(scopes)]);
    return { readers, counts };
  },
  handle: async ({ id, hardDelete = false }, context, { readers, counts }) => {
    await enterOrganizationScope(id, context);
    const deleted = await remove(context.tx, id, hardDelete);
    if (!deleted) throw failures.notFound('Organization');
    await keepReaders(context.tx, readers);
    context.audit({ targetType: 'Organization', targetId: id, detail: { hardDelete, counts: { ...deleted.counts, ...counts } } });
    context.emit(...(await recordEnded(deleted.grants, { organizationId: id }, context)));
    context.emit(organizationDeleted(id, deleted.projectIds, hardDelete));
    return deleted.organization;
  },
});
