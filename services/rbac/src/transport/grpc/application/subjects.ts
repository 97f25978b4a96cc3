import { subjectOf } from '@tessera/kernel/authorization';
import { AppError, failures, reasons } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import { isTokenScope, type Scope, splitTokenScope } from '@tessera/kernel/scope';
import { type Claims, isWithin } from '@tessera/kernel/tokens';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { type Decider, scopeOf } from '../../../decisions/decider.ts';
import type { RbacDeps } from '../../../deps.ts';
import type { Decision } from '../../../domain/decision.ts';
import type { ActingParty } from '../../../domain/delegation.ts';
import type { Subject } from '../../../domain/subject.ts';
import { errors } from '../../../errors.ts';
import { findActor, findSubject, type NamedSubject, personOf, subjectTypes, withActor } from '../../../operations/decisions/named.ts';
import { readAskedScope } from '../subject.ts';
import type { Application } from './admit.ts';
import { addressOf, RefusedIn } from './refusals.ts';

export type AskedBy = 'user token' | 'name' | 'own token';
type Question = Pick<wire.Check, 'subject' | 'scope' | 'userToken' | 'consistencyToken' | 'actor'> & { readonly noCache?: boolean };

/** Whose rights, where, and how the application came to ask about them. */
export type Resolved = { readonly subject: Subject; readonly scope: Scope; readonly by: AskedBy };

type Deps = Pick<RbacDeps, 'machines'> & { readonly decider: Decider; readonly verifyToken: (token: string) => Promise<Claims> };

/**
 * The scope of a question: that of the application's token, for a service account also a project of
 * its organization, and for a machine app that acts in grants that of an organization that uses its
 * project. Of no other it learns anything.
 */
export function coveredScope({ scope, subject }: Application, asked: wire.Check['scope']): Scope {
  const wanted = (asked === undefined ? undefined : readAskedScope(asked)) ?? scope;
  const mayGoFurther = subject.type === 'serviceAccount' || subject.actsInGrants === true;
  if (!isSame(wanted, scope) && (!mayGoFurther || scopeOf(subject, wanted) === undefined)) throw errors.outsideScope();
  return wanted;
}

/**
 * The claims of an end user's token; undefined when the token is not valid, or may not be used from
 * the caller's address. A service account's token is checked against the application's address, as
 * over REST, because the address of the application's client cannot be verified.
 */
async function claimsOfToken(token: string, { arrival }: Application, { verifyToken }: Deps): Promise<Claims | undefined> {
  try {
    const claims = await verifyToken(token);
    const networks = claims.service?.networks;
    return networks === undefined || isWithin(networks, addressOf(arrival)) ? claims : undefined;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unauthenticated') return undefined;
    throw error;
  }
}

/**
 * Where a token of the application's own issuer acts: in its project, or for an organization that
 * uses the project. Undefined for sessions, which are bound to no place, and for tokens of other
 * issuers, whose owners make the roles there themselves.
 */
function ownPlaceOf({ iss, scope: bound }: Claims, { scope, subject }: Application): Scope | undefined {
  const [, kind, parent, project] = /\/(org|acc)\/([^/]+)\/prj\/([^/]+)$/.exec(iss) ?? [];
  if (kind === undefined || bound === undefined || !isTokenScope(bound)) return undefined;
  const issuer = { tenant: kind === 'org' ? 'organizationProject' : 'accountProject', id: `${parent}:${project}` } as const;
  const isOwn = subject.type === 'serviceAccount' ? scopeOf(subject, issuer) !== undefined : isSame(issuer, scope);
  return isOwn ? splitTokenScope(bound).scope : undefined;
}

function isSame(one: Scope, other: Scope): boolean {
  return one.tenant === other.tenant && one.id === other.id;
}

/** By default where the user's token acts. The holder of that token may ask there as well. */
async function resolveUser(application: Application, token: string, asked: wire.Check['scope'], deps: Deps): Promise<Resolved | undefined> {
  const claims = await claimsOfToken(token, application, deps);
  const place = claims && ownPlaceOf(claims, application);
  const wanted = asked && readAskedScope(asked);
  const scope = place !== undefined && (wanted === undefined || isSame(wanted, place)) ? place : coveredScope(application, asked);
  return claims && { subject: subjectOf(claims), scope, by: 'user token' };
}

/** A subject by name. An application has no say in what another token could do. */
function namedSubject({ type, userId, tokenScope, scopes, roleId = '', id }: wire.Subject): NamedSubject {
  const known = type === '' ? 'user' : subjectTypes.find((name) => name === type);
  if (known === undefined) throw failures.validation('subject.type', reasons.oneOf([...subjectTypes, 'self']));
  const [field, named, other] = known === 'user' ? (['user_id', userId, id] as const) : (['id', id ?? '', userId || undefined] as const);
  if (tokenScope !== undefined || scopes.length > 0 || roleId !== '' || other !== undefined)
    throw failures.validation('subject', { en: `has type and ${field} only`, de: `hat nur type und ${field}` });
  if (!isId(named)) throw failures.validation(`subject.${field}`, { en: 'must be a UUID', de: 'muss eine UUID sein' });
  return { type: known, id: named };
}

/** An application that names others holds Decision:Evaluate in the scope. */
export async function assertEvaluate(
  application: Application,
  question: Pick<Question, 'scope' | 'consistencyToken' | 'noCache'>,
  { decider }: Deps,
): Promise<Decision> {
  const { consistencyToken, noCache } = question;
  const right = { resource: 'Decision', action: 'Evaluate', target: {}, consistencyToken, noCache, isOwn: true };
  const scope = coveredScope(application, question.scope);
  const decision = await decider.decide({ subject: application.subject, scope, ...right });
  if (decision.authorized) return decision;
  // Where the application acts for another organization, that one is told, as by the other doors.
  // One that has no grant is told nothing: the scope is the application's own word.
  throw errors.evaluate(decision.reason === 'INVALID_SCOPE' ? {} : { cause: new RefusedIn(scope) });
}

const whose = {
  en: 'must be given, or else a subject (type user and user_id, or type self)',
  de: 'muss angegeben sein, sonst ein subject (type user und user_id, oder type self)',
};

/**
 * Undefined when the end user's token is not valid. A question must say whose rights it is about: a
 * token that is missing by mistake must not turn into the rights of the application.
 */
export async function resolveSubject(application: Application, question: Question, deps: Deps): Promise<Resolved | undefined> {
  const resolved = await resolveOne(application, question, deps);
  if (resolved === undefined || question.actor === undefined) return resolved;
  const { subject, scope } = resolved;
  return {
    ...resolved,
    subject: withActor(subject, await resolveActor(application, question, { ...deps, scope, personId: personOf(subject) })),
  };
}

type ForPerson = Deps & { readonly scope: Scope; readonly personId?: string };

/** The actor that a question names. Decision:Evaluate is checked before the actor is read. */
export async function resolveActor(
  application: Application,
  question: Question,
  { scope, personId, ...deps }: ForPerson,
): Promise<ActingParty> {
  const { type = '', id = '', clientId, roleId, place } = question.actor ?? {};
  const known = subjectTypes.find((name) => name === type);
  if (known === undefined) throw failures.validation('actor.type', reasons.oneOf(subjectTypes));
  if ((clientId ?? roleId ?? place) !== undefined)
    throw failures.validation('actor', { en: 'has type and id only', de: 'hat nur type und id' });
  if (!isId(id)) throw failures.validation('actor.id', { en: 'must be a UUID', de: 'muss eine UUID sein' });
  await assertEvaluate(application, question, deps);
  return findActor(deps, { type: known, id }, scope, personId);
}

async function resolveOne(application: Application, question: Question, deps: Deps): Promise<Resolved | undefined> {
  const { subject: named, userToken } = question;
  if (named === undefined && userToken !== undefined) return resolveUser(application, userToken, question.scope, deps);
  const scope = coveredScope(application, question.scope);
  if (named === undefined || userToken !== undefined) throw failures.validation('user_token', whose);
  if (named.type === 'self') return { subject: application.subject, scope, by: 'own token' };
  const wanted = namedSubject(named);
  // Before any look at the subject: a refusal is the same for each.
  await assertEvaluate(application, question, deps);
  return { subject: await findSubject(deps, wanted, scope), scope, by: 'name' };
}
