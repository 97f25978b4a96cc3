import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../deps.ts';
import { groupType } from '../domain/scim/schema.ts';
import { findDirectoryGroup, listDirectoryGroups } from '../storage/directory-groups.ts';
import type { DirectoryList } from '../storage/directory-list.ts';
import { showGroup, showGroups, withMembersField } from './group.ts';
import { Listed, listPage, question } from './list.ts';
import { provision, Shown, scimOnly } from './user.ts';

export const getGroup = operation({
  ...scimOnly,
  name: 'getDirectoryGroup',
  summary: 'Read a group of the directory',
  kind: 'query',
  input: strict({ ...scopeField, id: Id, ...withMembersField }),
  output: Shown,
  access: provision,
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: { none: 'a read' },
  events: [],
  handle: async ({ id, withMembers }, context) => {
    const row = await findDirectoryGroup(context.tx, scopeOf(context).id, id);
    if (row === undefined) throw failures.notFound('Group');
    return showGroup(context.tx, row, { withMembers, deps: context.deps });
  },
});

export const listGroups = operation({
  ...scimOnly,
  name: 'listDirectoryGroups',
  summary: 'Find groups of the directory by a filter',
  kind: 'query',
  input: strict({ ...question, ...withMembersField }),
  output: Listed,
  access: provision,
  scopes: ['organization'],
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  handle: ({ withMembers, ...input }, context) => {
    const { tx, deps } = context;
    const { id: organizationId } = scopeOf(context);
    const list = (asked: DirectoryList) => listDirectoryGroups(tx, organizationId, asked);
    return listPage({ type: groupType, organizationId, list, show: (rows) => showGroups(tx, rows, { withMembers, deps }) }, input, context);
  },
});
