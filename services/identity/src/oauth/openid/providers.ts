/** The provider of each issuer: made on demand, kept in a bounded cache. */
import { hash } from 'node:crypto';
import type { GrpcClient } from '@tessera/kernel/grpc';
import { LRUCache } from 'lru-cache';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { findRules } from '../../apps/storage/client-documents.ts';
import { listScopesOfClients } from '../../apps/storage/project-apps.ts';
import type { OauthDeps } from '../deps.ts';
import { auditErrorsOf } from './audit.ts';
import { configurationOf, type Lifetimes } from './configuration.ts';
import { pollSeconds } from './device-codes.ts';
import type { Issuer } from './issuer.ts';
import { createLibraryProvider, type SignInput } from './library.ts';
import { addressAfter } from './logout.ts';
import { pageUrl } from './pages.ts';
import { serveTokenExchange } from './token-exchange.ts';

type Options = {
  readonly keys: Pick<GrpcClient<'keys.v1.Keys'>, 'listPublishedKeys' | 'signIdToken'>;
  readonly lifetimes: Lifetimes;
  /** Reaches no private addresses. */
  readonly fetch: Parameters<typeof configurationOf>[4];
};

export type Providers = {
  of(issuer: Issuer, deps: OauthDeps): Promise<Provider>;
  /**
   * The same for a machine app, which has no scopes of its own: which ones the project's other apps
   * have by now is not read.
   */
  ofMachine(issuer: Issuer, deps: OauthDeps): Promise<Provider>;
  /** Its keys have changed. */
  forget(issuerUrl: string): void;
};

type Made = { readonly provider: Provider; readonly scopesDigest: string };

/** One takes about 0.2 MB and is made again in a few milliseconds. */
const mostProviders = 200;
/** How long a rotation may go unnoticed when no notice arrives. */
const ttlMs = 60_000;

export function createProviders({ keys, lifetimes, fetch }: Options): Providers {
  const made = new LRUCache<string, Made>({ max: mostProviders, ttl: ttlMs });
  let rotations = 0;

  async function make(issuer: Issuer, scopes: readonly string[], takesDocuments: boolean, { settings }: OauthDeps): Promise<Provider> {
    const scope = issuer.scope ?? { tenant: 'system', id: '' };
    const place = { tenant: scope.tenant, id: scope.id };
    const published = await keys.listPublishedKeys({ scope: place });
    const sign: SignInput = async (signingInput) =>
      Buffer.from((await keys.signIdToken({ scope: place, signingInput })).signature, 'base64url');
    const isHttps = settings.appUrl.startsWith('https:');
    const algorithms = published.keys.some(({ es256 }) => es256 !== undefined) ? (['RS256', 'ES256'] as const) : (['RS256'] as const);
    const configuration = configurationOf(issuer, scopes, lifetimes, isHttps, fetch, algorithms);
    const discovery = takesDocuments ? { client_id_metadata_document_supported: true } : {};
    const provider = createLibraryProvider(issuer.url, published.keys, { ...configuration, discovery }, sign);
    auditErrorsOf(provider);
    if (issuer.scope !== undefined) serveTokenExchange(provider);
    // RFC 8628 section 3.2: the address to type is a page, short, and the same for all projects.
    provider.use(async (ctx: KoaContextWithOIDC, next) => {
      await next();
      if (ctx.oidc?.route === 'device_authorization' && ctx.status === 200) addVerification(ctx);
    });
    // A browser without a session has nothing to be asked: it goes where the app wants it.
    provider.use(async (ctx: KoaContextWithOIDC, next) => {
      await next();
      if (ctx.oidc?.route === 'end_session' && ctx.status === 200 && ctx.oidc.session?.accountId === undefined)
        ctx.redirect(addressAfter(ctx));
    });
    return provider;
  }

  async function of(issuer: Issuer, deps: OauthDeps): Promise<Provider> {
    // An indexed query keeps discovery and scopes true, whichever replica changed an app.
    const { scope } = issuer;
    const [scopes, rules] =
      scope === undefined
        ? [[], undefined]
        : await Promise.all([listScopesOfClients(deps.database, scope), findRules(deps.database, scope)]);
    const takesDocuments = rules?.isAllowed === true;
    const scopesDigest = hash('sha256', [takesDocuments, ...scopes].join(' '), 'base64url');
    const known = made.get(issuer.url);
    if (known?.scopesDigest === scopesDigest) return known.provider;
    const before = rotations;
    const provider = await make(issuer, scopes, takesDocuments, deps);
    // Keys that changed while they were read may be the old ones: the next request reads anew.
    if (rotations === before) made.set(issuer.url, { provider, scopesDigest });
    return provider;
  }

  return {
    of,
    ofMachine: async (issuer, deps) => made.get(issuer.url)?.provider ?? of(issuer, deps),
    forget(issuerUrl) {
      rotations += 1;
      made.delete(issuerUrl);
    },
  };
}

function addVerification(ctx: KoaContextWithOIDC): void {
  const body = ctx.body as { readonly user_code: string };
  const { user_code: code } = body;
  const addresses = { verification_uri: pageUrl(ctx, 'device'), verification_uri_complete: pageUrl(ctx, 'device', { user_code: code }) };
  ctx.body = { ...body, ...addresses, interval: pollSeconds };
}
