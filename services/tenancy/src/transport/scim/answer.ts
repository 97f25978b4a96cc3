/** One request of SCIM: a method, a path, a body. */
import { type AppError, asAppError, failures } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import { identify, type Operation, type RequestFacts, type ResponseEffects, type Runtime, run } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import { listUsers } from '../../directory/read-users.ts';
import { provision } from '../../directory/user.ts';
import { isSelected, project, type Selection } from '../../domain/scim/projection.ts';
import { isObject, type Json } from '../../domain/scim/resource.ts';
import { type Listed, listResponse } from './messages.ts';
import { questionOf, readSearch, selectionOf } from './query.ts';
import { type Served, served } from './served.ts';

export type Asked = {
  readonly method: string;
  /** Below the address of the organization, without the query. */
  readonly path: string;
  readonly query: Json;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
};

export type Answer = {
  readonly status: number;
  readonly body?: Json;
  readonly etag?: string;
  readonly location?: string;
  /** The operation that has answered, and what it was about. */
  readonly operation?: string;
  readonly id?: string;
};

export type Caller = {
  readonly runtime: Runtime<TenancyDeps>;
  readonly organizationId: string;
  readonly facts: RequestFacts;
  readonly effects: ResponseEffects;
};

type Shown = { readonly id: string; readonly resource: Json; readonly version: string; readonly lastModified: string };

export type Admitted = {
  readonly accountId: string;
  readonly credentialId: string;
  /** A service account of this organization. */
  readonly isOwn: boolean;
};

/** 401 without a token, 403 for a caller that is no service account. */
export async function admit({ runtime, organizationId, facts }: Caller): Promise<Admitted> {
  const actor = await identify(provision, facts, runtime);
  if (actor.kind !== 'token' || actor.claims.service === undefined) throw failures.forbidden();
  if (!isId(organizationId)) throw failures.forbidden();
  const { scope, service } = actor.claims;
  const isOwn = scope?.tenant === 'organization' && scope.id === organizationId;
  return { accountId: actor.userId, credentialId: service.credentialId, isOwn };
}

const mostAttempts = 5;

/** A conflict with a parallel change is retried, unless the client sent If-Match. */
function isWorthAgain(error: unknown): boolean {
  const { kind, key } = asAppError(error);
  return kind === 'changed' || key === 'errors.organizationInvitation.exists';
}

async function perform<Output>(
  { runtime, organizationId, facts, effects }: Caller,
  operation: Operation<TenancyDeps>,
  input: Json,
): Promise<Output> {
  const scope = { tenant: 'organization', id: organizationId };
  const plain = { ...facts, ifMatch: undefined, idempotencyKey: undefined };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { output } = await run(runtime, operation, () => ({ scope, ...input }), plain, effects);
      // The pipeline has projected the output by the operation's schema.
      return output as Output;
    } catch (error) {
      if (!isWorthAgain(error) || input['version'] !== undefined || attempt === mostAttempts) throw error;
    }
  }
}

/** 403 for a caller who may not provision, whatever the request is about. */
export async function requirePermission(caller: Caller): Promise<void> {
  await perform(caller, listUsers, { count: 0 });
}

function nothingHere(): AppError {
  return failures.routeNotFound();
}

export async function answer(asked: Asked, caller: Caller): Promise<Answer> {
  const [endpoint = '', id, ...more] = asked.path.replace(/^\//, '').split('/');
  if (endpoint === '.search' && id === undefined) return searchAll({ ...asked, query: readSearch(needPost(asked)) }, caller);
  if (endpoint === '' && id === undefined && asked.method === 'GET') return searchAll(asked, caller);
  const kind = served.find(({ type }) => type.endpoint === `/${endpoint}`);
  if (kind === undefined || more.length > 0) throw nothingHere();
  if (id === '.search') return search(kind, readSearch(needPost(asked)), caller);
  return id === undefined ? ofCollection(kind, asked, caller) : ofOne(kind, id, asked, caller);
}

/** A list of many values is read only when the answer shows it. */
function membersOf({ type, members }: Served, selection: Selection): Json {
  return members === undefined ? {} : { withMembers: isSelected(type, members, selection) };
}

function needPost({ method, body }: Asked): unknown {
  if (method !== 'POST') throw nothingHere();
  return body;
}

async function ofCollection(kind: Served, asked: Asked, caller: Caller): Promise<Answer> {
  if (asked.method === 'GET') return search(kind, asked.query, caller);
  if (asked.method !== 'POST') throw nothingHere();
  const made = await perform<Shown>(caller, kind.create, { body: asked.body, ...membersOf(kind, selectionOf(asked.query)) });
  return { ...shown(kind, made, asked), status: 201, operation: kind.create.name };
}

async function ofOne(kind: Served, id: string, asked: Asked, caller: Caller): Promise<Answer> {
  const { method, body, ifMatch, ifNoneMatch } = asked;
  if (!isId(id)) {
    // The permission is checked before 404 is answered.
    await perform(caller, kind.list, { count: 0 });
    throw failures.notFound(kind.type.name);
  }
  const version = ifMatch === undefined ? {} : { version: ifMatch };
  const selection = selectionOf(asked.query);
  if (method === 'GET') {
    const found = await perform<Shown>(caller, kind.read, { id, ...membersOf(kind, selection) });
    const isKnown = ifNoneMatch?.split(',').some((tag) => tag.trim() === found.version || tag.trim() === '*') === true;
    return isKnown
      ? { status: 304, etag: found.version, id, operation: kind.read.name }
      : { ...shown(kind, found, asked), operation: kind.read.name };
  }
  if (method === 'PUT' || method === 'PATCH') {
    const by = method === 'PUT' ? 'put' : 'patch';
    const isBrief = kind.members !== undefined && method === 'PATCH' && selection.attributes === undefined;
    const members = isBrief ? { withMembers: false } : membersOf(kind, selection);
    const changed = shown(kind, await perform<Shown>(caller, kind.change, { id, by, body, ...version, ...members }), asked);
    const { body: _, ...brief } = changed;
    return isBrief ? { ...brief, status: 204, operation: kind.change.name } : { ...changed, operation: kind.change.name };
  }
  if (method !== 'DELETE') throw nothingHere();
  await perform(caller, kind.remove, { id, ...version });
  return { status: 204, id, operation: kind.remove.name };
}

function shown({ type }: Served, { id, resource, version }: Shown, { query }: Asked): Answer {
  const { meta } = resource;
  const location = isObject(meta) ? String(meta['location']) : '';
  return { status: 200, body: project(type, resource, selectionOf(query)), etag: version, location, id };
}

async function search(kind: Served, query: Json, caller: Caller): Promise<Answer> {
  const selection = selectionOf(query);
  const listed = await perform<Listed>(caller, kind.list, { ...questionOf(query), ...membersOf(kind, selection) });
  return { status: 200, body: listResponse(listed, (resource) => project(kind.type, resource, selection)), operation: kind.list.name };
}

/** Over all types, one after the other (RFC 7644, section 3.4.2.1). By index only. */
async function searchAll({ query }: Pick<Asked, 'query'>, caller: Caller): Promise<Answer> {
  const [only] = served;
  if (only !== undefined && served.length === 1) return search(only, query, caller);
  const { startIndex = 1, count = 100, ...question } = questionOf(query);
  const selection = selectionOf(query);
  const start = Math.max(Number(startIndex), 1);
  let [left, skipped, total] = [Math.max(Number(count), 0), 0, 0];
  const items: { resource: Json }[] = [];
  let refused: unknown;
  for (const kind of served) {
    const { type, list } = kind;
    try {
      const own = { ...question, startIndex: Math.max(start - skipped, 1), count: left, ...membersOf(kind, selection) };
      const page = await perform<Listed>(caller, list, own);
      items.push(...page.items.map(({ resource }) => ({ resource: project(type, isObject(resource) ? resource : {}, selection) })));
      left -= page.items.length;
      skipped += page.total;
      total += page.total;
    } catch (error) {
      // A filter by what only another type has finds nothing of this one.
      if (asAppError(error).extensions?.['scimType'] !== 'invalidFilter') throw error;
      refused = error;
    }
  }
  if (refused !== undefined && total === 0 && items.length === 0) throw refused;
  return { status: 200, body: listResponse({ items, total, startIndex: start }, (resource) => resource), operation: 'search' };
}
