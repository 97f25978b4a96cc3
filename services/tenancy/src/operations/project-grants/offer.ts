import { failures } from '@tessera/kernel/errors';
import { callerOf, type HandleContext, scopeOf } from '@tessera/kernel/operation';
import { parseScope } from '@tessera/kernel/scope';
import type { TenancyDeps } from '../../deps.ts';
import { type ProjectGrant, productScope } from '../../domain/project-grant.ts';
import { errors } from '../../errors.ts';
import type { Right } from '../../peers/vouchers.ts';
import { answerOffer, findMakerOfOffer, findOfferByToken, type OfferOfToken } from '../../storage/project-grants.ts';
import { hashToken } from '../invitations/token.ts';
import type { Context } from '../related.ts';

/** What became of an offer by mail, for who holds its token. */
export const offerStates = ['open', 'taken', 'declined', 'withdrawn', 'expired'] as const;

export function offerState({ status, organizationId, isExpired }: OfferOfToken): (typeof offerStates)[number] {
  if (organizationId !== null) return 'taken';
  if (status === 'declined') return 'declined';
  if (isExpired) return 'expired';
  return status === 'offered' ? 'open' : 'withdrawn';
}

/**
 * Whether the caller may answer an offer by mail: the token is the offer's, and the address that
 * it went to is held by the account of this session. Token and session together show that, as at
 * an invitation (decision 15).
 */
export async function assertAddressee(id: string, token: string, context: Context): Promise<undefined> {
  const { actor, deps } = context;
  if (actor.kind !== 'token' || actor.claims.type !== 'session') throw failures.forbidden();
  const offer = await findOfferByToken({ query: deps.database.query }, hashToken(token));
  if (offer === undefined || offer.id !== id) throw errors.offerTokenUnknown();
  const { userId } = callerOf(context);
  const { email } = offer;
  const account = await deps.identity.findUserByEmail({ email });
  if (account.userId !== userId) throw errors.offerNotTheAddressee();
  if (offerState(offer) !== 'open') throw closed(offer);
  if (offer.ownerOrganizationId === scopeOf(context).id) throw errors.ownProject({ extensions: { field: 'scope' } });
  await deps.identity.markEmailVerified({ userId, email });
}

/** The right that a maker of offers must have, and have still when the offer is accepted. */
export const offers: Right = { resource: 'ProjectGrant', action: 'Create' };

/** An offer binds its maker's organization: it is open while the maker could make it now. */
export async function assertStillOffered(id: string, isMailed: boolean, { deps, ...context }: Context): Promise<undefined> {
  const organizationId = isMailed ? null : scopeOf(context).id;
  const offer = await findMakerOfOffer({ query: deps.database.query }, id, organizationId);
  // What is no open offer of this organization is told by the acceptance itself.
  if (offer === undefined) return;
  const { tenant, id: product } = productScope(offer);
  if ((await deps.vouchers.standing(offer.maker, parseScope({ tenant, id: product }), offers)) !== 'holds')
    throw closed({ status: 'ended' });
}

function closed({ status }: Pick<ProjectGrant, 'status'>) {
  return errors.offerClosed({ extensions: { resource: 'ProjectGrant', field: 'status', status } });
}

type Answer = { readonly id: string; readonly token: string; readonly isTaken: boolean };

/** The organization of the scope takes the offer or declines it. Of several answers one counts. */
export async function answer({ id, token, isTaken }: Answer, context: HandleContext<TenancyDeps>): Promise<ProjectGrant> {
  const organizationId = scopeOf(context).id;
  const grant = await answerOffer(context.tx, { id, tokenHash: hashToken(token), organizationId, isTaken });
  if (grant === undefined) throw closed({ status: 'ended' });
  return grant;
}
