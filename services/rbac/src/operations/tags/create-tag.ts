import { newId } from '@tessera/kernel/ids';
import { Name, scopeField, strict } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { tagTable } from '../../storage/entity-tables.ts';
import { insertEntity } from '../../storage/scoped-entity.ts';
import { findOne } from '../entity.ts';
import { Tag, tagColors } from '../schemas.ts';
import { beginEdit } from '../write.ts';

export const createTag = operation({
  name: 'createTag',
  summary: 'Creates a tag that the entities of the scope can carry.',
  kind: 'mutation',
  input: strict({ ...scopeField, name: Name, color: Type.Enum([...tagColors]) }),
  output: Tag,
  access: { permission: 'Tag:Create' },
  scopes: tenants,
  verification: 'by-scope',
  errors: [],
  audit: 'tag.created',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/tags', status: 201 },
  graphql: { field: 'createTag', type: 'Tag' },
  example: { input: { color: 'red' }, records: ['name', 'color'] },
  handle: async (input, context) => {
    const { tx, audit } = context;
    const { scope } = await beginEdit(context);
    const id = newId();
    await insertEntity(tx, tagTable, scope, id, input);
    audit({ targetType: 'Tag', targetId: id, detail: { name: input.name } });
    return findOne(tx, tagTable, scope, id);
  },
});
