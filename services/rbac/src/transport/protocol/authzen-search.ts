import { failures, reasons } from '@tessera/kernel/errors';
import { findActions } from '../../operations/decisions/find-actions.ts';
import { findResources } from '../../operations/decisions/find-resources.ts';
import { findSubjects } from '../../operations/decisions/find-subjects.ts';
import { isAuthorized } from '../../operations/decisions/is-authorized.ts';
import {
  type Asked,
  actionOf,
  actorOf,
  entity,
  isSubjectType,
  type Json,
  optionalObject,
  pageOf,
  resourceOf,
  scopeOf,
  subjectOf,
  text,
} from './authzen-request.ts';

type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor: string | null };

function results(found: readonly object[], nextCursor: string | null): object {
  return { results: found, page: { next_token: nextCursor ?? '', count: found.length } };
}

function scoped(body: Json): object {
  const scope = scopeOf(body);
  return scope === undefined ? {} : { scope };
}

/** Who may do this? People, API keys or apps, by the type of the subject. */
export async function searchSubject(body: Json, { ask, tokenScope }: Asked): Promise<object> {
  const type = text(entity(body, 'subject'), 'subject.type');
  const { slug, target } = resourceOf(body);
  const scope = scopeOf(body) ?? tokenScope;
  const action = actionOf(body);
  const page = pageOf(body);
  if (scope === undefined) throw failures.validation('context.scope', reasons.required);
  // The right to ask comes first, also for a type that does not exist here.
  const subjectType = isSubjectType(type) ? type : 'user';
  const asked = { scope, subjectType, permission: { resource: slug, action }, context: { resource: target }, ...actorOf(body), ...page };
  const { items, nextCursor } = await ask<Page<{ readonly type: string; readonly id: string }>>(findSubjects, asked);
  return isSubjectType(type)
    ? results(
        items.map(({ id }) => ({ type, id })),
        nextCursor,
      )
    : results([], null);
}

/** The type that stands for all types: the standard has none. */
const everyType = '*';

/**
 * On which resources may the subject do this? Tessera knows the definitions of resources and not
 * the things themselves: the id of a result is its slug, as its type is.
 */
export async function searchResource(body: Json, { ask }: Asked): Promise<object> {
  const resource = entity(body, 'resource');
  const type = text(resource, 'resource.type');
  const context = { resource: optionalObject(resource, 'resource.properties') };
  const [subject, action, page] = [subjectOf(body), actionOf(body), pageOf(body)];
  if (type !== everyType) {
    const question = { ...scoped(body), ...actorOf(body), subject, permission: { resource: type, action }, context };
    const { authorized } = await ask<{ readonly authorized: boolean }>(isAuthorized, question);
    return results(authorized ? [{ type, id: type }] : [], null);
  }
  const { items, nextCursor } = await ask<Page<{ readonly slug: string }>>(findResources, {
    ...scoped(body),
    ...actorOf(body),
    subject,
    action,
    context,
    ...page,
  });
  return results(
    items.map(({ slug }) => ({ type: slug, id: slug })),
    nextCursor,
  );
}

/** What may the subject do with this resource? */
export async function searchAction(body: Json, { ask }: Asked): Promise<object> {
  const { slug, target } = resourceOf(body);
  const asked = {
    ...scoped(body),
    ...actorOf(body),
    subject: subjectOf(body),
    resource: slug,
    context: { resource: target },
    ...pageOf(body),
  };
  const { items, nextCursor } = await ask<Page<{ readonly action: string; readonly authorized: boolean }>>(findActions, asked);
  return results(
    items.flatMap(({ action, authorized }) => (authorized ? [{ name: action }] : [])),
    nextCursor,
  );
}
