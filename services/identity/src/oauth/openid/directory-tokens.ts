/**
 * Directories that send the same bearer token for months (docs/decisions/024). Tenancy exchanges it
 * at SCIM's door for an access token of 15 minutes at most, which no client gets. So it ends as
 * access tokens end, and no other door takes it.
 */
import { failures } from '@tessera/kernel/errors';
import type { Call } from '@tessera/kernel/grpc';
import { isId } from '@tessera/kernel/ids';
import { isWithin } from '@tessera/kernel/tokens';
import type * as wire from '@tessera/proto/types/identity.v1';
import { findServiceAccountByDirectoryToken, hasDirectoryToken } from '../../apps/storage/service-accounts.ts';
import { auditContextBehind } from '../../ground/storage/audit-log.ts';
import { isDirectoryToken } from '../../ground/tokens/opaque-token.ts';
import { auditRefusal } from '../../ground/transact.ts';
import type { OauthDeps, ProtocolContext } from '../deps.ts';
import { hasEnded, TokenRefusal, unknownOf } from './service-proofs.ts';
import { countRefusal, issue } from './service-tokens.ts';

type Surroundings = { readonly deps: OauthDeps; readonly now: Date; readonly call: Pick<Call, 'requestId'> };

const none: wire.ExchangeDirectoryTokenResponse = { accessToken: '', lifetimeSeconds: 0 };

/** Empty when the organization has no such token. 403 while its account may not be used. */
export async function exchangeDirectoryToken(
  { token, organizationId, ipAddress, userAgent }: wire.ExchangeDirectoryTokenRequest,
  { deps, now, call: { requestId } }: Surroundings,
): Promise<wire.ExchangeDirectoryTokenResponse> {
  if (!isId(organizationId) || !isDirectoryToken(token)) return none;
  const { request } = auditContextBehind({ requestId, ipAddress, userAgent }, now);
  const response = { setCookie: () => undefined, addConsistencyToken: () => undefined, consistencyToken: undefined };
  const cameFrom = { fetchSite: undefined, referer: undefined };
  const context: ProtocolContext = { deps, now, request, response, query: new URLSearchParams(), cameFrom };
  const found = await findServiceAccountByDirectoryToken(deps.database, token);
  if (found === undefined) {
    await countGuess(organizationId, context);
    return none;
  }
  const { account, credentialId, expiresAt } = found;
  try {
    const { tenant, id } = account.scope;
    if (tenant !== 'organization' || id !== organizationId) throw refused(account, 'the directory token was used at another organization');
    if (hasEnded({ expiresAt }, now)) throw refused(account, 'the directory token has expired');
    if (account.isSuspended) throw refused(account, 'the operator has suspended the organization', 'access_denied');
    const { allowedNetworks } = account;
    if (allowedNetworks.length > 0 && !isWithin(allowedNetworks, ipAddress))
      throw refused(account, 'the service account may not be used from this address', 'access_denied');
    const issued = await issue({ account, credentialId, expiresAt, detail: {} }, 'directory_token', context);
    return { accessToken: issued.token, lifetimeSeconds: issued.lifetimeSeconds };
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error;
    if (error.account !== undefined) countRefusal(error, error.account, context);
    if (error.code !== 'access_denied') return none;
    throw account.isSuspended ? failures.forbidden() : failures.networkNotAllowed();
  }
}

function refused(account: TokenRefusal['account'], reason: string, code = 'invalid_client'): TokenRefusal {
  return new TokenRefusal(code, unknownOf.directory_token, account, reason);
}

/**
 * One row a minute for an organization and address, with the count. Only where there is a token to
 * guess: else a stranger could write rows for any id.
 */
async function countGuess(organizationId: string, context: ProtocolContext): Promise<void> {
  const { deps, now, request } = context;
  const write = async (count: number, at: Date) => {
    if (!(await hasDirectoryToken(deps.database, organizationId))) return;
    const detail = { reason: unknownOf.directory_token, ...(count === 1 ? {} : { count }) };
    const entry = { scope: { tenant: 'organization', id: organizationId }, targetType: 'ServiceAccount', detail } as const;
    await auditRefusal({ ...context, now: at }, { operation: 'scim', action: 'service-account.token', code: 'invalid_client', entry });
  };
  const count = deps.requestCounts.count(`directory ${organizationId} ${request.ipAddress}`, now, write);
  if (count !== undefined) deps.background.run('audit of a refusal', () => write(count, now));
}
