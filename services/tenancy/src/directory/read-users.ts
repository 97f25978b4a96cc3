import { hash } from 'node:crypto';
import { failures } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import { Id, Nullable, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../deps.ts';
import { parseFilter } from '../domain/scim/filter.ts';
import { findTarget, userType } from '../domain/scim/schema.ts';
import { errors, scimError } from '../errors.ts';
import { type After, findDirectoryUser, listDirectoryUsers } from '../storage/directory-users.ts';
import { provision, Shown, scimOnly, settingsOf, show } from './user.ts';

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
    return show(row, context.deps);
  },
});

export const mostPerPage = 200;
export const defaultPerPage = 100;

const Listed = strict({
  items: Type.Array(Shown),
  total: Type.Integer(),
  startIndex: Nullable(Type.Integer()),
  /** Null on the last page, undefined where the client pages by index. */
  nextCursor: Type.Optional(Nullable(Type.String())),
});

export const listUsers = operation({
  ...scimOnly,
  name: 'listDirectoryUsers',
  summary: 'Find people of the directory by a filter',
  kind: 'query',
  input: strict({
    ...scopeField,
    filter: Type.Optional(Type.String()),
    sortBy: Type.Optional(Type.String({ maxLength: 300 })),
    sortOrder: Type.Optional(Type.Enum(['ascending', 'descending'])),
    startIndex: Type.Optional(Type.Integer()),
    count: Type.Optional(Type.Integer()),
    cursor: Type.Optional(Type.String({ maxLength: 3_000 })),
  }),
  output: Listed,
  access: provision,
  scopes: ['organization'],
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  handle: async ({ filter, sortBy, sortOrder = 'ascending', startIndex, count = defaultPerPage, cursor }, context) => {
    const { id: organizationId } = scopeOf(context);
    const parsed = filter === undefined || filter.trim() === '' ? undefined : parseFilter(userType, filter);
    const target = sortBy === undefined ? undefined : findTarget(userType, sortBy);
    if (sortBy !== undefined && target?.attribute === undefined)
      throw scimError('invalidPath', `User has no attribute '${sortBy}' to sort by.`);
    if (cursor !== undefined && startIndex !== undefined) throw scimError('invalidValue', 'Send either cursor or startIndex.');
    const question = hash('sha256', JSON.stringify([organizationId, filter, sortBy, sortOrder])).slice(0, 16);
    const limit = Math.min(Math.max(count, 0), mostPerPage);
    // Below the largest OFFSET; no organization has so many rows.
    const start = Math.min(Math.max(startIndex ?? 1, 1), 1_000_000_000);
    const { rows, total } = await listDirectoryUsers(context.tx, organizationId, {
      filter: parsed,
      sortBy: target,
      isDescending: sortOrder === 'descending',
      offset: cursor === undefined ? start - 1 : 0,
      after: cursor === undefined || cursor === '' ? undefined : readCursor(cursor, question),
      limit: cursor === undefined ? limit : limit + 1,
      settings: settingsOf(context.deps, organizationId),
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const hasMore = rows.length > limit && last !== undefined;
    const items = page.map((row) => show(row, context.deps));
    if (cursor === undefined) return { items, total, startIndex: start };
    return { items, total, startIndex: null, nextCursor: hasMore ? writeCursor({ key: last.sortKey, id: last.id }, question) : null };
  },
});

/**
 * The last row of a page, and a hash of the question (RFC 9865). It contains only values that the
 * client has read.
 */
function writeCursor({ key, id }: After, question: string): string {
  return Buffer.from(JSON.stringify([question, id, key])).toString('base64url');
}

function readCursor(cursor: string, question: string): After {
  const parsed = parseJson(Buffer.from(cursor, 'base64url').toString());
  const [asked, id, key] = Array.isArray(parsed) ? parsed : [];
  if (asked !== question || typeof id !== 'string' || !isId(id) || typeof key !== 'string' || key.includes('\u0000'))
    throw errors.scimCursor({ extensions: { scimType: 'invalidCursor' } });
  return { key, id };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
