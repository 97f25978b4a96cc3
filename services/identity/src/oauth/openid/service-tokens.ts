/**
 * Tokens of service accounts: client_credentials at the platform's own issuer (RFC 6749 section
 * 4.4). No person stands behind one, so that the library's clients and grants are not needed.
 */
import { isId, newId } from '@tessera/kernel/ids';
import { commitUnit } from '@tessera/kernel/operation';
import { type Claims, isWithin } from '@tessera/kernel/tokens';
import { findServiceAccountBySecret, type ServiceAccount, useServiceAccount } from '../../apps/storage/service-accounts.ts';
import { auditRefusal } from '../../ground/transact.ts';
import type { ProtocolContext } from '../deps.ts';

export type TokenAnswer = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
};

/** An error of RFC 6749 section 5.2; `account` once it is known which one it is about. */
class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';
  readonly code: string;
  readonly account: ServiceAccount | undefined;

  constructor(code: string, message: string, account?: ServiceAccount) {
    super(message);
    this.code = code;
    this.account = account;
  }
}

const operation = 'openid';
const longestSeconds = 900;
const noStore = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

export function isServiceTokenRequest(form: URLSearchParams | undefined): form is URLSearchParams {
  return form?.get('grant_type') === 'client_credentials';
}

type Asked = { readonly form: URLSearchParams; readonly authorization: string | undefined };

export async function answerServiceToken(asked: Asked, context: ProtocolContext): Promise<TokenAnswer> {
  try {
    const issued = await issue(await proven(asked, context), context);
    return {
      status: 200,
      headers: noStore,
      body: { access_token: issued.token, token_type: 'Bearer', expires_in: issued.lifetimeSeconds },
    };
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error;
    if (error.account !== undefined) countRefusal(error, error.account, context);
    const isClient = error.code === 'invalid_client';
    const challenge = isClient && asked.authorization !== undefined ? { 'www-authenticate': 'Basic realm="token"' } : {};
    const body = { error: error.code, error_description: error.message };
    return { status: isClient ? 401 : 400, headers: { ...noStore, ...challenge }, body };
  }
}

type Client = { readonly id: string; readonly secret: string };

/** Basic, or in the form; never both, and each field once (section 2.3). */
function clientOf({ form, authorization }: Asked): Client {
  const repeated = [...new Set(form.keys())].find((name) => form.getAll(name).length > 1);
  if (repeated !== undefined) throw new TokenRefusal('invalid_request', `${repeated} is given more than once`);
  const [inForm, secretInForm] = [form.get('client_id'), form.get('client_secret')];
  if (authorization === undefined) return { id: inForm ?? '', secret: secretInForm ?? '' };
  const encoded = /^basic +([\w+/=-]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) throw new TokenRefusal('invalid_client', 'the authorization header must be Basic');
  if (secretInForm !== null) throw new TokenRefusal('invalid_request', 'send the secret once, in the header or in the form');
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const client = { id: unescaped(text.slice(0, Math.max(colon, 0))), secret: unescaped(text.slice(colon + 1)) };
  if (inForm !== null && inForm !== client.id) throw new TokenRefusal('invalid_request', 'client_id is not that of the header');
  return client;
}

/** The header has both in the form's encoding (section 2.3.1). */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new TokenRefusal('invalid_client', 'the authorization header is not well encoded');
  }
}

type Proven = { readonly account: ServiceAccount; readonly credentialId: string; readonly expiresAt: string | null };

const longestSecret = 200;
const unknown = 'the service account or its secret is not known, or the secret has expired';

/** The same words whether the account is unknown, its secret wrong or expired. */
async function proven(asked: Asked, { deps, now, request }: ProtocolContext): Promise<Proven> {
  const { id, secret } = clientOf(asked);
  if (!isId(id) || secret === '' || secret.length > longestSecret) throw new TokenRefusal('invalid_client', unknown);
  const found = await findServiceAccountBySecret(deps.database, id, secret);
  if (found === undefined) throw new TokenRefusal('invalid_client', unknown);
  const { account, credentialId, expiresAt } = found;
  if (credentialId === null || (expiresAt !== null && Date.parse(expiresAt) - now.getTime() < 1_000))
    throw new TokenRefusal('invalid_client', unknown, account);
  if (account.isSuspended) throw new TokenRefusal('access_denied', 'the operator has suspended the organization or account', account);
  const { allowedNetworks } = account;
  if (allowedNetworks.length > 0 && !isWithin(allowedNetworks, request.ipAddress))
    throw new TokenRefusal('access_denied', 'the service account may not be used from this address', account);
  return { account, credentialId, expiresAt };
}

/**
 * Signed first: what is handed out was noted afterwards, in one transaction with the check that
 * account and credential are what it was made of. A change that comes later ends it.
 */
async function issue({ account, credentialId, expiresAt }: Proven, context: ProtocolContext) {
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
      if (!(await useServiceAccount(tx, { account, credentialId, from: request.ipAddress }, now)))
        throw new TokenRefusal('invalid_client', unknown, account);
      const detail = { name: account.name, grantType: 'client_credentials', tokenId: claims.jti, credentialId };
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
function countRefusal({ code, message }: TokenRefusal, account: ServiceAccount, context: ProtocolContext): void {
  const { deps, now, request } = context;
  const { scope } = account;
  const place = scope.tenant === 'platform' ? {} : { scope: { tenant: scope.tenant, id: scope.id } };
  const write = (count: number, at: Date) => {
    const detail = { name: account.name, reason: message, ...(count === 1 ? {} : { count }) };
    const entry = { ...place, targetType: 'ServiceAccount', targetId: account.id, detail };
    return auditRefusal({ ...context, now: at }, { operation, action: 'service-account.token', code, entry });
  };
  const count = deps.requestCounts.count(`service-account ${account.id} ${request.ipAddress}`, now, write);
  if (count !== undefined) deps.background.run('audit of a refusal', () => write(count, now));
}

/** What the platform's discovery says of them besides what the library knows. */
export function withServiceGrants(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { grant_types_supported: grants } = document;
  return { ...document, grant_types_supported: [...(Array.isArray(grants) ? grants : []), 'client_credentials'] };
}
