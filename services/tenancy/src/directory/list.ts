/** Lists of SCIM: filter, order, and pages by index or by cursor (RFC 7644 and 9865). */
import { hash } from 'node:crypto';
import { isId } from '@tessera/kernel/ids';
import { Nullable, scopeField, strict } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { parseFilter } from '../domain/scim/filter.ts';
import { findTarget, type ResourceType } from '../domain/scim/schema.ts';
import { errors, scimError } from '../errors.ts';
import type { After, DirectoryList, DirectoryPage } from '../storage/directory-list.ts';
import { type Context, Shown, settingsOf } from './user.ts';

export const mostPerPage = 200;
export const defaultPerPage = 100;

export const Listed = strict({
  items: Type.Array(Shown),
  total: Type.Integer(),
  startIndex: Nullable(Type.Integer()),
  /** Null on the last page, undefined where the client pages by index. */
  nextCursor: Type.Optional(Nullable(Type.String())),
});

export const question = {
  ...scopeField,
  filter: Type.Optional(Type.String()),
  sortBy: Type.Optional(Type.String({ maxLength: 300 })),
  sortOrder: Type.Optional(Type.Enum(['ascending', 'descending'])),
  startIndex: Type.Optional(Type.Integer()),
  count: Type.Optional(Type.Integer()),
  cursor: Type.Optional(Type.String({ maxLength: 3_000 })),
};

type Question = {
  readonly filter?: string;
  readonly sortBy?: string;
  readonly sortOrder?: 'ascending' | 'descending';
  readonly startIndex?: number;
  readonly count?: number;
  readonly cursor?: string;
};

type Source<Row> = {
  readonly type: ResourceType;
  readonly organizationId: string;
  readonly list: (asked: DirectoryList) => Promise<DirectoryPage<Row>>;
  readonly show: (rows: readonly Row[]) => Promise<Static<typeof Shown>[]>;
};

/** One page of a type. */
export async function listPage<Row extends { readonly id: string }>(
  { type, organizationId, list, show }: Source<Row>,
  { filter, sortBy, sortOrder = 'ascending', startIndex, count = defaultPerPage, cursor }: Question,
  { deps }: Pick<Context, 'deps'>,
): Promise<Static<typeof Listed>> {
  const parsed = filter === undefined || filter.trim() === '' ? undefined : parseFilter(type, filter);
  const target = sortBy === undefined ? undefined : findTarget(type, sortBy);
  if (sortBy !== undefined && target?.attribute === undefined)
    throw scimError('invalidPath', `${type.name} has no attribute '${sortBy}' to sort by.`);
  if (cursor !== undefined && startIndex !== undefined) throw scimError('invalidValue', 'Send either cursor or startIndex.');
  const asked = hash('sha256', JSON.stringify([organizationId, type.name, filter, sortBy, sortOrder])).slice(0, 16);
  const limit = Math.min(Math.max(count, 0), mostPerPage);
  // Below the largest OFFSET; no organization has so many rows.
  const start = Math.min(Math.max(startIndex ?? 1, 1), 1_000_000_000);
  const { rows, total } = await list({
    filter: parsed,
    sortBy: target,
    isDescending: sortOrder === 'descending',
    offset: cursor === undefined ? start - 1 : 0,
    after: cursor === undefined || cursor === '' ? undefined : readCursor(cursor, asked),
    limit: cursor === undefined ? limit : limit + 1,
    settings: settingsOf(deps, organizationId, type),
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  const items = await show(page);
  if (cursor === undefined) return { items, total, startIndex: start };
  return { items, total, startIndex: null, nextCursor: hasMore ? writeCursor({ key: last.sortKey, id: last.id }, asked) : null };
}

/**
 * The last row of a page, and a hash of the question (RFC 9865). It contains only values that the
 * client has read.
 */
function writeCursor({ key, id }: After, asked: string): string {
  return Buffer.from(JSON.stringify([asked, id, key])).toString('base64url');
}

function readCursor(cursor: string, asked: string): After {
  const parsed = parseJson(Buffer.from(cursor, 'base64url').toString());
  const [of, id, key] = Array.isArray(parsed) ? parsed : [];
  if (of !== asked || typeof id !== 'string' || !isId(id) || typeof key !== 'string' || key.includes('\u0000'))
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
