import { tenants } from '@tessera/kernel/scope';
import { operation } from '../../deps.ts';
import { tagTable } from '../../storage/entity-tables.ts';
import { findOne, removeOne } from '../entity.ts';
import { deletion, Tag } from '../schemas.ts';
import { beginEdit } from '../write.ts';

export const deleteTag = operation({
  name: 'deleteTag',
  summary: 'Deletes a tag; nothing carries it any more.',
  kind: 'mutation',
  input: deletion,
  output: Tag,
  access: { permission: 'Tag:Delete', target: async ({ id }) => ({ id }) },
  scopes: tenants,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'tag.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/tags/:id' },
  graphql: { field: 'deleteTag', type: 'Tag' },
  example: { records: ['name'] },
  handle: async ({ id, hardDelete = false }, context) => {
    const { tx, audit, now } = context;
    const { scope } = await beginEdit(context);
    const tag = await findOne(tx, tagTable, scope, id);
    audit({ targetType: 'Tag', targetId: id, detail: { name: tag.name, hardDelete } });
    return removeOne(tx, tagTable, scope, tag, { hard: hardDelete, now });
  },
});
