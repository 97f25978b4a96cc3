import { assertVersion, Name, strict } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { tagTable } from '../../storage/entity-tables.ts';
import { lockEntity, updateEntity } from '../../storage/scoped-entity.ts';
import { findOne } from '../entity.ts';
import { addressed, Tag, tagColors } from '../schemas.ts';
import { beginEdit } from '../write.ts';

export const updateTag = operation({
  name: 'updateTag',
  summary: 'Changes a tag wherever it is carried.',
  kind: 'mutation',
  input: strict({ ...addressed, name: Type.Optional(Name), color: Type.Optional(Type.Enum([...tagColors])) }),
  output: Tag,
  access: { permission: 'Tag:Update', target: async ({ id }) => ({ id }) },
  scopes: tenants,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'tag.updated',
  events: [],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/tags/:id' },
  graphql: { field: 'updateTag', type: 'Tag' },
  example: { input: { color: 'red' }, records: ['name', 'color'] },
  handle: async (input, context) => {
    const { tx, audit } = context;
    const { id } = input;
    const { scope } = await beginEdit(context);
    await findOne(tx, tagTable, scope, id);
    await assertVersion(context.request, () => lockEntity(tx, tagTable, id));
    const before = await findOne(tx, tagTable, scope, id);
    await updateEntity(tx, tagTable, scope, id, input);
    audit({ targetType: 'Tag', targetId: id, before, detail: { name: before.name } });
    return findOne(tx, tagTable, scope, id);
  },
});
