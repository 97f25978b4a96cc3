/** Reads the entities of AuthZEN requests. Unknown fields are ignored, as the standard demands. */
import { failures, reasons, type Text } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import type { Operation } from '@tessera/kernel/operation';
import { parseScope, tenants } from '@tessera/kernel/scope';
import type { RbacDeps } from '../../deps.ts';
import { type NamedSubject, subjectTypes } from '../../operations/decisions/named.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Runs an operation for this request; its output has the operation's schema. */
export type Ask = <Output>(operation: Operation<RbacDeps>, input: object) => Promise<Output>;
/** What an endpoint knows besides the body: the scope of the token, when it has one. */
export type Asked = { readonly ask: Ask; readonly tokenScope: { readonly tenant: string; readonly id: string } | undefined };

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const mustBeObject = { en: 'must be an object', de: 'muss ein Objekt sein' };
const mustBeText = { en: 'must be a text', de: 'muss ein Text sein' };

export function entity(body: Json, field: string): Json {
  const value = body[field];
  if (value === undefined) throw failures.validation(field, reasons.required);
  if (!isObject(value)) throw failures.validation(field, mustBeObject);
  return value;
}

export function text(of: Json, path: string): string {
  const value = of[path.slice(path.lastIndexOf('.') + 1)];
  if (value === undefined) throw failures.validation(path, reasons.required);
  if (typeof value !== 'string') throw failures.validation(path, mustBeText);
  return value;
}

/** A longer name is no name of anything; the operations refuse it for the whole batch. */
const longestName = 200;

function name(of: Json, path: string): string {
  const value = text(of, path);
  if (value.length > longestName) throw failures.validation(path, atMost(longestName));
  return value;
}

export function atMost(count: number): Text {
  return { en: `must have a length of at most ${count}`, de: `darf höchstens die Länge ${count} haben` };
}

export function optionalObject(of: Json, path: string): Json {
  const value = of[path.slice(path.lastIndexOf('.') + 1)];
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw failures.validation(path, mustBeObject);
  return value;
}

/** No user has this id: an unknown subject is answered like one without rights. */
const unknownSubject: NamedSubject = { type: 'user', id: '00000000-0000-0000-0000-000000000000' };

export function isSubjectType(type: string): type is NamedSubject['type'] {
  return subjectTypes.some((known) => known === type);
}

/** `subject.properties` are ignored: what decides about a person is what Tessera knows of them. */
export function subjectOf(body: Json): NamedSubject {
  const subject = entity(body, 'subject');
  const [type, id] = [text(subject, 'subject.type'), text(subject, 'subject.id')];
  return isSubjectType(type) && isId(id) ? { type, id } : unknownSubject;
}

/** An extension of the standard: the actor of the subject. An unknown one may do nothing. */
export function actorOf(body: Json): { readonly actor?: NamedSubject } {
  if (body['actor'] === undefined || body['actor'] === null) return {};
  const actor = entity(body, 'actor');
  const [type, id] = [text(actor, 'actor.type'), text(actor, 'actor.id')];
  return { actor: isSubjectType(type) && isId(id) ? { type, id } : unknownSubject };
}

export function actionOf(body: Json): string {
  return name(entity(body, 'action'), 'action.name');
}

/** Conditions read `resource.properties` as `resource.*`; `resource.id` is always the id. */
export function resourceOf(body: Json): { readonly slug: string; readonly target: Json } {
  const resource = entity(body, 'resource');
  const [slug, id] = [name(resource, 'resource.type'), text(resource, 'resource.id')];
  return { slug, target: { ...optionalObject(resource, 'resource.properties'), id } };
}

/** `context.scope`: left out, it is the token's. */
export function scopeOf(body: Json): { readonly tenant: string; readonly id: string } | undefined {
  const { scope } = optionalObject(body, 'context');
  if (scope === undefined) return undefined;
  if (!isObject(scope)) throw failures.validation('context.scope', mustBeObject);
  const [given, id] = [text(scope, 'context.scope.tenant'), text(scope, 'context.scope.id')];
  const tenant = tenants.find((known) => known === given);
  if (tenant === undefined) throw failures.validation('context.scope.tenant', reasons.oneOf(tenants));
  parseScope({ tenant, id });
  return { tenant, id };
}

/** One question of is-authorized. */
export function checkOf(body: Json): object {
  const { slug, target } = resourceOf(body);
  const scope = scopeOf(body);
  return {
    subject: subjectOf(body),
    ...actorOf(body),
    permission: { resource: slug, action: actionOf(body) },
    context: { resource: target },
    ...(scope === undefined ? {} : { scope }),
  };
}

const longestPage = 1_000;

/** A page: `limit`, and the `next_token` of the page before as `token`. */
export function pageOf(body: Json): { readonly cursor?: string; readonly limit?: number } {
  const { token, limit } = optionalObject(body, 'page');
  if (token !== undefined && typeof token !== 'string') throw failures.validation('page.token', mustBeText);
  if (limit !== undefined && (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1))
    throw failures.validation('page.limit', { en: 'must be a whole number above 0', de: 'muss eine ganze Zahl über 0 sein' });
  return { ...(token ? { cursor: token } : {}), ...(limit === undefined ? {} : { limit: Math.min(limit, longestPage) }) };
}
