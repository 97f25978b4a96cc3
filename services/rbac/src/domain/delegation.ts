/**
 * Actors: the apps that act for a person (`act` of a token, `actor` of a question). An actor never
 * adds a right: the person, each actor and the grant must all allow the action.
 */
import { joinTokenScope, type Scope } from '@tessera/kernel/scope';
import type { Decision, Reason } from './decision.ts';
import type { Subject } from './subject.ts';
import type { Support } from './support.ts';

export type ActingParty = {
  /** What conditions read as `actor.*`. */
  readonly type: 'user' | 'apiKey' | 'app' | 'serviceAccount';
  readonly id: string;
  readonly clientId?: string | undefined;
  /** Of a machine app: its role must allow it, too. `place` is the project whose role it is. */
  readonly roleId?: string | undefined;
  readonly place?: Scope | undefined;
  /** Of an actor that a question names: the subject whose rights must allow it, too. */
  readonly subject?: Subject | undefined;
  /** The scopes of an app that a question names. A token has them as its own cap. */
  readonly cap?: readonly string[] | undefined;
  /** Of a supporter who acts as the person. */
  readonly support?: Support | undefined;
};

/** The fields of an actor that conditions read. */
export function actorOf({ type, id, clientId }: ActingParty): { readonly type: string; readonly id: string; readonly clientId?: string } {
  return clientId === undefined ? { type, id } : { type, id, clientId };
}

/** Which part refused. When several do, the first in this order is named. */
export const refusers = ['subject', 'grant', 'actor', 'app'] as const;
export type Refuser = (typeof refusers)[number];

/**
 * The subject whose rights must allow it. Undefined for an app that has no rights: then its scopes
 * alone count. A machine app acts with its role in its own project, also where another organization
 * uses the project.
 */
export function holderOf({ id, roleId, place, subject }: ActingParty): Subject | undefined {
  if (roleId === undefined || place === undefined) return subject;
  return { type: 'apiKey', userId: id, roleId, tokenScope: joinTokenScope(place, id), actsInGrants: true };
}

const ofGrant: ReadonlySet<Reason> = new Set(['GRANT_SUSPENDED', 'GRANT_ENDED']);

/** Undefined for a decision that allows. `refuser`: whose rights were judged. */
export function refuserOf({ authorized, reason }: Decision, refuser: 'subject' | 'actor'): Refuser | undefined {
  if (authorized) return undefined;
  if (ofGrant.has(reason)) return 'grant';
  return reason === 'SCOPE_NOT_GRANTED' ? 'app' : refuser;
}
