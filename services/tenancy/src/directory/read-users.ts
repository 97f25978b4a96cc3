import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../deps.ts';
import { userType } from '../domain/scim/schema.ts';
import type { DirectoryList } from '../storage/directory-list.ts';
import { findDirectoryUser, listDirectoryUsers } from '../storage/directory-users.ts';
import { Listed, listPage, question } from './list.ts';
import { provision, Shown, scimOnly, showUsers } from './user.ts';

export const getUser = operation({
  ...scimOnly,
  name: 'getDirectoryUser',
  summary: 'Read a person of the directory',
  kind: 'query',
  input: strict({ ...scopeField, id: Id }),
  output: Shown,
  access: provision,
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: { none: 'a read' },
  events: [],
  handle: async ({ id }, context) => {
    const row = await findDirectoryUser(context.tx, scopeOf(context).id, id);
    if (row === undefined) throw failures.notFound('User');
    const [shown] = await showUsers(context.tx, [row], context.deps);
    if (shown === undefined) throw failures.notFound('User');
    return shown;
  },
});

export const listUsers = operation({
  ...scimOnly,
  name: 'listDirectoryUsers',
  summary: 'Find people of the directory by a filter',
  kind: 'query',
  input: strict(question),
  output: Listed,
  access: provision,
  scopes: ['organization'],
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  handle: (input, context) => {
    const { tx, deps } = context;
    const { id: organizationId } = scopeOf(context);
    const list = (asked: DirectoryList) => listDirectoryUsers(tx, organizationId, asked);
    return listPage({ type: userType, organizationId, list, show: (rows) => showUsers(tx, rows, deps) }, input, context);
  },
});
