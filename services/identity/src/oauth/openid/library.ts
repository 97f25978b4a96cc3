/**
 * The only file that reaches into oidc-provider beyond its configuration: its ExternalSigningKey is
 * experimental, and the rest replaces methods of its models. `library.test.ts` fails when one of
 * them changes.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { newId } from '@tessera/kernel/ids';
import Provider, {
  type AccessToken,
  type AllClientMetadata,
  type ClientCredentials,
  type Configuration,
  ExternalSigningKey,
  type KoaContextWithOIDC,
  type RefreshToken,
} from 'oidc-provider';
import { findSignedInSession, type SignedInSession } from '../../sign-in/storage/sessions.ts';
import { issueAccessToken, issueClientToken } from './access-tokens.ts';
import { isClientSecret } from './client-secrets.ts';
import { grantIdOf, sidOf } from './derived-ids.ts';
import { handlePrefix } from './platform-tokens.ts';
import { successorOf } from './refresh-rotation.ts';
import { currentRequest, mappedClaims, openidOf, requestOrNone } from './request.ts';

export type PublicKey = {
  readonly kid: string;
  readonly n: string;
  readonly e: string;
  /** For ID tokens and logout tokens of apps that choose ES256. */
  readonly es256?: { readonly kid: string; readonly x: string; readonly y: string } | undefined;
};

/** The signature over the signing input of an ID token or logout token. */
export type SignInput = (signingInput: string) => Promise<Uint8Array>;

class KeyOfIssuer extends ExternalSigningKey {
  readonly #key: PublicJwk;
  readonly #sign: SignInput;
  constructor(key: PublicJwk, sign: SignInput) {
    super();
    this.#key = key;
    this.#sign = sign;
  }
  override get kid() {
    return this.#key.kid;
  }
  override get alg() {
    return this.#key.alg;
  }
  override keyObject(): KeyObject {
    return createPublicKey({ key: this.#key, format: 'jwk' });
  }
  override async sign(data: Uint8Array) {
    return this.#sign(Buffer.from(data).toString('utf8'));
  }
}

type RsaJwk = { readonly kty: 'RSA'; readonly alg: 'RS256'; readonly kid: string; readonly n: string; readonly e: string };
type EllipticJwk = {
  readonly kty: 'EC';
  readonly alg: 'ES256';
  readonly crv: 'P-256';
  readonly kid: string;
  readonly x: string;
  readonly y: string;
};
type PublicJwk = RsaJwk | EllipticJwk;

function jwksOf({ kid, n, e, es256 }: PublicKey): PublicJwk[] {
  const rsa = { kid, alg: 'RS256', kty: 'RSA', n, e } as const;
  return es256 === undefined ? [rsa] : [rsa, { alg: 'ES256', kty: 'EC', crv: 'P-256', ...es256 }];
}

/** A provider whose keys, sessions and access tokens are Tessera's. */
export function createLibraryProvider(
  issuer: string,
  keys: readonly PublicKey[],
  configuration: Omit<Configuration, 'jwks'>,
  sign: SignInput,
): Provider {
  const jwks = { keys: keys.flatMap(jwksOf).map((key) => new KeyOfIssuer(key, sign)) };
  const provider = new Provider(issuer, { ...configuration, jwks });
  // The library writes absolute addresses from these headers, which `routes.ts` sets from APP_URL.
  provider.proxy = true;
  provider.use((ctx, next) => {
    ctx['mountPath'] = new URL(issuer).pathname.replace(/\/$/, '');
    return next();
  });
  useTokens(provider);
  useClaims(provider);
  useSessions(provider, issuer);
  useClients(provider);
  return provider;
}

/** Access tokens are JWTs that keys signs; what the library keeps of them has the id of the JWT. */
function useTokens(provider: Provider): void {
  const { AccessToken, ClientCredentials, IdToken } = provider;
  const saveAccess = AccessToken.prototype.save;
  const [findAccess, findClient] = [AccessToken.find, ClientCredentials.find];
  const payloadOf: () => Promise<object> = Reflect.get(IdToken.prototype, 'payload');
  const generateTokenId = function (this: { format?: string }) {
    this.format = 'opaque';
    return newId();
  };
  Object.assign(AccessToken.prototype, {
    generateTokenId,
    async save(this: AccessToken) {
      this.jti ||= Reflect.apply(generateTokenId, this, []);
      const token = await issueAccessToken(this, currentRequest());
      await Reflect.apply(saveAccess, this, []);
      currentRequest().issuedAccessToken = token;
      return token;
    },
  });
  Object.assign(ClientCredentials.prototype, {
    generateTokenId,
    async save(this: ClientCredentials) {
      this.jti ||= Reflect.apply(generateTokenId, this, []);
      // The row of the token is all that is kept of it.
      return issueClientToken(this, currentRequest());
    },
  });
  const { RefreshToken } = provider;
  const saveRefresh = RefreshToken.prototype.save;
  const generateRefreshId: () => string = Reflect.get(RefreshToken.prototype, 'generateTokenId');
  Object.assign(RefreshToken.prototype, {
    generateTokenId(this: RefreshToken) {
      const request = currentRequest();
      return request.spent === undefined ? Reflect.apply(generateRefreshId, this, []) : successorOf(request.spent, request);
    },
    // It is spent when its successor is saved, in one transaction.
    async consume(this: RefreshToken) {
      currentRequest().spent = this.jti;
    },
    async save(this: RefreshToken) {
      const request = currentRequest();
      const { own } = request;
      if (own !== undefined) Object.assign(this, { sessionUid: own.sessionId, grantId: own.grantId });
      const value = await Reflect.apply(saveRefresh, this, []);
      return request.rotated?.successor ?? value;
    },
  });
  // An id alone opens nothing: the request must have presented the JWT, which `routes.ts` verified.
  const tokenIdOf = (value: string) => {
    const { presented, issuer } = currentRequest();
    if (issuer.scope === undefined && value.startsWith(handlePrefix)) return value;
    return presented?.handle === value ? presented.tokenId : '';
  };
  Object.assign(AccessToken, {
    find: (value: string, options?: object) => Reflect.apply(findAccess, AccessToken, [tokenIdOf(value), options]),
  });
  Object.assign(ClientCredentials, {
    find: (value: string, options?: object) => Reflect.apply(findClient, ClientCredentials, [tokenIdOf(value), options]),
  });
  // The library hashes `at_hash` when it signs, but sets it for the implicit flow only.
  Object.assign(IdToken.prototype, {
    async payload() {
      const token = requestOrNone()?.issuedAccessToken;
      return { ...(await Reflect.apply(payloadOf, this, [])), ...(token === undefined ? {} : { at_hash: token }) };
    },
  });
}

/** The claims of an app come beside those of the scopes, and take the place of none. */
function useClaims(provider: Provider): void {
  const { prototype }: { readonly prototype: object } = Reflect.get(provider, 'Claims');
  const resultOf: () => Promise<object> = Reflect.get(prototype, 'result');
  Object.assign(prototype, {
    async result(this: { readonly available: { readonly [mappedClaims]?: object } }) {
      return { ...this.available[mappedClaims], ...(await Reflect.apply(resultOf, this, [])) };
    },
  });
}

/** The session of a provider is the browser's platform session: nothing else signs in to apps. */
function useSessions(provider: Provider, issuer: string): void {
  const { Session } = provider;
  const sessionOf = ({ id, userId, acr, amr, authenticatedAt, expiresAt }: SignedInSession) => {
    const seconds = (at: string) => Math.floor(Date.parse(at) / 1_000);
    const proof = { acr, amr: [...amr], loginTs: seconds(authenticatedAt) };
    const payload = { jti: id, uid: id, accountId: userId, kind: 'Session', exp: seconds(expiresAt), ...proof };
    return Reflect.construct(Session, [payload]);
  };
  Object.assign(Session, {
    async get(ctx: KoaContextWithOIDC) {
      const { session: platform, formSecret } = openidOf(ctx);
      const session = platform === undefined ? Reflect.construct(Session, []) : sessionOf(platform);
      // The form of the page is ours, and so is the check where it came from.
      if (formSecret !== undefined) session.state = { secret: formSecret };
      ctx.oidc.entity('Session', session);
      return session;
    },
    async findByUid(uid: string) {
      const { context } = currentRequest();
      const found = await findSignedInSession(context.deps.database, uid, context.now);
      return found && sessionOf(found);
    },
  });
  Object.assign(Session.prototype, {
    sidFor(this: { uid: string }, clientId: string) {
      return sidOf(issuer, this.uid, clientId);
    },
    grantIdFor(this: { uid: string }, clientId: string) {
      return grantIdOf(issuer, this.uid, clientId, currentRequest().organizationId);
    },
    ensureClientContainer() {},
    // What an interaction remembers of a sign-in signs no browser in whose session has ended.
    loginAccount() {},
    resetIdentifier() {},
    async save() {},
    async persist() {},
    async destroy() {},
  });
}

/** Sends a logout token to the client's registered address, if it has one. */
export async function sendLogoutToken(provider: Provider, metadata: AllClientMetadata, sub: string, sid: string): Promise<void> {
  if (metadata.backchannel_logout_uri === undefined) return;
  const client: object = Reflect.construct(provider.Client, [metadata]);
  const send: unknown = Reflect.get(client, 'backchannelLogout');
  if (typeof send === 'function') await Reflect.apply(send, client, [sub, sid]);
}

/** ID tokens always say `sid`, and client secrets are kept as digests. */
function useClients({ Client }: Provider): void {
  Object.assign(Client.prototype, {
    includeSid: () => true,
    compareClientSecret(this: { clientId: string }, secret: string) {
      return isClientSecret(this.clientId, secret, currentRequest());
    },
  });
}
