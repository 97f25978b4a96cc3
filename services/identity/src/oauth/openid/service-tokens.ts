/**
 * Tokens of service accounts at the platform's own issuer: client_credentials (RFC 6749 section
 * 4.4) and jwt-bearer (RFC 7523). No person stands behind one, so that the library's clients and
 * grants are not needed.
 */
import { newId } from '@tessera/kernel/ids';
import { commitUnit } from '@tessera/kernel/operation';
import type { Claims } from '@tessera/kernel/tokens';
import { assertionAlgorithms } from '../../apps/domain/service-keys.ts';
import { type ServiceAccount, useServiceAccount } from '../../apps/storage/service-accounts.ts';
import { auditRefusal } from '../../ground/transact.ts';
import type { ProtocolContext } from '../deps.ts';
import { jwtBearerGrant, type Proven, proveServiceAccount, type ServiceTokenRequest, TokenRefusal, unknownOf } from './service-proofs.ts';

export type TokenAnswer = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
};

const operation = 'openid';
const longestSeconds = 900;
const noStore = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

export function isServiceTokenRequest(form: URLSearchParams | undefined): form is URLSearchParams {
  const grant = form?.get('grant_type');
  return grant === 'client_credentials' || grant === jwtBearerGrant;
}

export async function answerServiceToken(sent: ServiceTokenRequest, context: ProtocolContext): Promise<TokenAnswer> {
  try {
    const issued = await issue(await proveServiceAccount(sent, context), grantTypeOf(sent), context);
    return {
      status: 200,
      headers: noStore,
      body: { access_token: issued.token, token_type: 'Bearer', expires_in: issued.lifetimeSeconds },
    };
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error;
    if (error.account !== undefined) countRefusal(error, error.account, context);
    const isClient = error.code === 'invalid_client';
    const challenge = isClient && sent.authorization !== undefined ? { 'www-authenticate': 'Basic realm="token"' } : {};
    const body = { error: error.code, error_description: error.message };
    return { status: isClient ? 401 : 400, headers: { ...noStore, ...challenge }, body };
  }
}

/** The token of a directory is exchanged by tenancy, and at no token endpoint. */
type GrantType = 'client_credentials' | typeof jwtBearerGrant | 'directory_token';

function grantTypeOf({ form }: ServiceTokenRequest): GrantType {
  return form.get('grant_type') === jwtBearerGrant ? jwtBearerGrant : 'client_credentials';
}

/**
 * Signed first: what is handed out was noted afterwards, in one transaction with the check that
 * account and credential are what it was made of. A change that comes later ends it.
 */
export async function issue(proof: Proven, grantType: GrantType, context: ProtocolContext) {
  const { account, credentialId, expiresAt, spent } = proof;
  const { deps, now, request, response } = context;
  const left = expiresAt === null ? longestSeconds : Math.floor((Date.parse(expiresAt) - now.getTime()) / 1_000);
  const lifetimeSeconds = Math.min(longestSeconds, deps.accessTokenSeconds, left);
  const claims = claimsOf(account, credentialId, { now, lifetimeSeconds });
  const { elevated, allowedNetworks, scope, generation } = account;
  const limits = { ...(elevated.length > 0 && { elevated }), ...(allowedNetworks.length > 0 && { networks: allowedNetworks }) };
  const { token } = await deps.sign({
    scope: { tenant: 'system', id: '' },
    type: 'apiKey',
    subject: account.id,
    tokenId: claims.jti,
    audience: '',
    lifetimeSeconds,
    claimsJson: JSON.stringify({ scope, cid: credentialId, gen: generation, ...limits }),
  });
  const actor = { kind: 'token', userId: account.id, claims, token, subject: subjectOf(account, claims.jti) } as const;
  const place = scope.tenant === 'platform' ? {} : { scope: { tenant: scope.tenant, id: scope.id } };
  await commitUnit(
    (run) => deps.database.transaction(run),
    { actor, scope: undefined, request, response, now },
    async ({ tx, audit }) => {
      if (!(await useServiceAccount(tx, { account, credentialId, from: request.ipAddress, spent }, now)))
        throw changedMeanwhile(proof, grantType);
      const detail = { name: account.name, grantType, tokenId: claims.jti, credentialId, ...proof.detail };
      audit({
        operation,
        action: 'service-account.token',
        outcome: 'ok',
        entry: { ...place, targetType: 'ServiceAccount', targetId: account.id, detail },
      });
    },
  );
  return { token, lifetimeSeconds };
}

/** Account or credential ended meanwhile, or the assertion was used. */
function changedMeanwhile({ account, spent }: Proven, grantType: GrantType): TokenRefusal {
  const isOuter = grantType === jwtBearerGrant;
  const method = isOuter ? grantType : spent === undefined ? grantType : 'private_key_jwt';
  const reason =
    spent === undefined
      ? 'the account or its secret has ended'
      : 'the assertion was used before, or the account or its credential has ended';
  return new TokenRefusal(isOuter ? 'invalid_grant' : 'invalid_client', unknownOf[method], account, reason);
}

function claimsOf(
  { id, scope, generation, elevated }: ServiceAccount,
  credentialId: string,
  { now, lifetimeSeconds }: { readonly now: Date; readonly lifetimeSeconds: number },
): Claims {
  const iat = Math.floor(now.getTime() / 1_000);
  const common = { sub: id, aud: '', iss: '', iat, exp: iat + lifetimeSeconds, jti: newId(), type: 'apiKey', scope } as const;
  return { ...common, service: { credentialId, generation, elevated } };
}

function subjectOf({ id, scope }: ServiceAccount, tokenId: string) {
  return { type: 'serviceAccount', userId: id, tokenId, tokenScope: scope } as const;
}

/** One row a minute for an account and address, with the count of those that it stands for. */
export function countRefusal({ code, reason }: TokenRefusal, account: ServiceAccount, context: ProtocolContext): void {
  const { deps, now, request } = context;
  const { scope } = account;
  const place = scope.tenant === 'platform' ? {} : { scope: { tenant: scope.tenant, id: scope.id } };
  const write = (count: number, at: Date) => {
    const detail = { name: account.name, reason, ...(count === 1 ? {} : { count }) };
    const entry = { ...place, targetType: 'ServiceAccount', targetId: account.id, detail };
    return auditRefusal({ ...context, now: at }, { operation, action: 'service-account.token', code, entry });
  };
  const count = deps.requestCounts.count(`service-account ${account.id} ${request.ipAddress}`, now, write);
  if (count !== undefined) deps.background.run('audit of a refusal', () => write(count, now));
}

/** What the platform's discovery says of them besides what the library knows. */
export function withServiceGrants(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { grant_types_supported: grants } = document;
  return {
    ...document,
    grant_types_supported: [...(Array.isArray(grants) ? grants : []), 'client_credentials', jwtBearerGrant],
    token_endpoint_auth_signing_alg_values_supported: [...assertionAlgorithms],
  };
}
