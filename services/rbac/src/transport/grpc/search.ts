/** The inverse questions of rbac.v1.Authorization. Who asks has been settled before. */
import { failures, reasons } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import type * as wire from '@tessera/proto/types/rbac.v1';
import type { RbacDeps } from '../../deps.ts';
import type { ActingParty } from '../../domain/delegation.ts';
import type { Subject } from '../../domain/subject.ts';
import { subjectTypes } from '../../operations/decisions/named.ts';
import { pageAfter, searchActions, searchResources } from '../../operations/decisions/search-actions.ts';
import { searchSubjects } from '../../operations/decisions/search-subjects.ts';
import { readSearch } from './present.ts';

export type SearchDeps = Pick<RbacDeps, 'database' | 'decider' | 'userMetadata' | 'machines'>;

export async function answerSubjects(
  deps: SearchDeps,
  request: wire.FindSubjectsRequest,
  scope: Scope,
  actor?: ActingParty,
): Promise<wire.FindSubjectsResponse> {
  const type = subjectTypes.find((name) => name === request.type);
  if (type === undefined) throw failures.validation('type', reasons.oneOf(subjectTypes));
  const search = readSearch(request);
  if (search.cursor !== undefined && !isId(search.cursor)) throw failures.badInput({ extensions: { field: 'cursor' } });
  const { resource, action } = request;
  const { ids, nextCursor } = await searchSubjects(deps, { ...search, type, scope, resource, action, actor });
  return { ids: [...ids], nextCursor: nextCursor ?? '' };
}

export async function answerActions(
  deps: SearchDeps,
  request: wire.FindActionsRequest,
  subject: Subject,
  scope: Scope | undefined,
): Promise<wire.FindActionsResponse> {
  const { cursor, limit, ...search } = readSearch(request);
  const only = { resource: request.resource || undefined, action: request.action || undefined };
  const found = await searchActions(deps, { ...search, ...only, whose: { subject, scope } });
  const { items, nextCursor } = pageAfter(found, (one) => `${one.resource}:${one.action}`, cursor, limit);
  return {
    actions: items.map(({ resource, action, decision: { authorized, reason } }) => ({ resource, action, authorized, reason })),
    nextCursor: nextCursor ?? '',
  };
}

export async function answerResources(
  deps: SearchDeps,
  request: wire.FindResourcesRequest,
  subject: Subject,
  scope: Scope | undefined,
): Promise<wire.FindResourcesResponse> {
  const { cursor, limit, ...search } = readSearch(request);
  const found = await searchResources(deps, { ...search, action: request.action, whose: { subject, scope } });
  const { items, nextCursor } = pageAfter(found, (slug) => slug, cursor, limit);
  return { resources: [...items], nextCursor: nextCursor ?? '' };
}
