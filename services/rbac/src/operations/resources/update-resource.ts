import { assertVersion, Name, strict } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { resourceTable } from '../../storage/entity-tables.ts';
import type { ResourceRow } from '../../storage/records.ts';
import { setSlug } from '../../storage/resources.ts';
import { updateEntity } from '../../storage/scoped-entity.ts';
import { findOne, tagEntity } from '../entity.ts';
import { announceGrowth } from '../growth.ts';
import { Actions, addressed, Description, Identifier, Resource, SlugText, tagging } from '../schemas.ts';
import { beginChange } from '../write.ts';
import { assertIdentifier } from './identifier.ts';
import { assertFreeOfBuiltIns, refuseTakenSlug } from './slug.ts';

export const updateResource = operation({
  name: 'updateResource',
  summary: 'Changes a resource. Permissions for an action that it loses, or for an inactive resource, grant nothing.',
  kind: 'mutation',
  input: strict({
    ...addressed,
    name: Type.Optional(Name),
    slug: Type.Optional(SlugText),
    description: Type.Optional(Description),
    actions: Type.Optional(Actions),
    isActive: Type.Optional(Type.Boolean()),
    identifier: Type.Optional(Identifier),
    ...tagging,
  }),
  output: Resource,
  access: { permission: 'Resource:Update', target: async ({ id }) => ({ id }) },
  scopes: tenants,
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'resource.updated',
  events: ['rights.grew'],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/resources/:id' },
  graphql: { field: 'updateResource', type: 'Resource' },
  example: { input: { actions: ['read', 'write', 'close'] }, records: ['name', 'actions'] },
  handle: async (input, context) => {
    const { tx, audit } = context;
    const { id, slug } = input;
    const { scope } = await beginChange(context);
    assertIdentifier(input.identifier, context.deps);
    const before = await findOne(tx, resourceTable, scope, id);
    await assertVersion(context.request, async () => before);
    if (before.isBuiltIn) throw errors.builtIn();
    if (slug !== undefined && slug !== before.slug) {
      const wanted = { projectId: scope.projectId ?? '', resourceId: id, slug: assertFreeOfBuiltIns(slug) };
      await setSlug(tx, wanted).catch(refuseTakenSlug);
    }
    await updateEntity(tx, resourceTable, scope, id, input);
    if (givesMore(before, input)) await announceGrowth('resource', id, context);
    const tags = await tagEntity(tx, resourceTable, scope, id, input);
    audit({
      targetType: 'Resource',
      targetId: id,
      before: { ...before, ...tags.before },
      after: tags.after,
      detail: { name: before.name },
    });
    return findOne(tx, resourceTable, scope, id);
  },
});

type Giving = Partial<Pick<ResourceRow, 'slug' | 'actions' | 'isActive'>>;

/** Whether permissions of this resource give what they did not give before the change. */
function givesMore(before: ResourceRow, { slug = before.slug, actions = before.actions, isActive = before.isActive }: Giving): boolean {
  if (!isActive) return false;
  return !before.isActive || slug !== before.slug || actions.some((action) => !before.actions.includes(action));
}
