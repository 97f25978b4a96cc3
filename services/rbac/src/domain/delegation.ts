/**
 * Who acts for a person besides the person (`act` of a token, `actor` of a question). It never adds
 * a right: what is allowed is what the person, each app and the grant allow together.
 */
import { joinTokenScope, type Scope } from '@tessera/kernel/scope';
import type { Decision, Reason } from './decision.ts';
import type { Subject } from './subject.ts';

export type ActingParty = {
  /** What conditions read as `actor.*`. */
  readonly type: 'user' | 'apiKey' | 'app' | 'serviceAccount';
  readonly id: string;
  readonly clientId?: string | undefined;
  /** Of a machine app: its role must allow it, too. `place` is the project whose role it is. */
  readonly roleId?: string | undefined;
  readonly place?: Scope | undefined;
  /** Of one that is named: whose rights must allow it, too. */
  readonly subject?: Subject | undefined;
  /** The scopes of an app that is named. A token has them as its own cap. */
  readonly cap?: readonly string[] | undefined;
};

/** What conditions read of it. */
export function actorOf({ type, id, clientId }: ActingParty): { readonly type: string; readonly id: string; readonly clientId?: string } {
  return clientId === undefined ? { type, id } : { type, id, clientId };
}

/** Which part refuses; the first in this order when several do. */
export const refusers = ['subject', 'grant', 'actor', 'app'] as const;
export type Refuser = (typeof refusers)[number];

/**
 * Whose own rights must allow it. Undefined for an app that has none, whose scopes alone count. A
 * machine app acts with its role, which is its project's, also for others that use the project.
 */
export function holderOf({ id, roleId, place, subject }: ActingParty): Subject | undefined {
  if (roleId === undefined || place === undefined) return subject;
  return { type: 'apiKey', userId: id, roleId, tokenScope: joinTokenScope(place, id), actsInGrants: true };
}

const ofGrant: ReadonlySet<Reason> = new Set(['GRANT_SUSPENDED', 'GRANT_ENDED']);

/** Who refused: undefined for a yes. `refuser`: whose rights these are. */
export function refuserOf({ authorized, reason }: Decision, refuser: 'subject' | 'actor'): Refuser | undefined {
  if (authorized) return undefined;
  if (ofGrant.has(reason)) return 'grant';
  return reason === 'SCOPE_NOT_GRANTED' ? 'app' : refuser;
}
