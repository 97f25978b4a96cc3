/** RP-initiated logout: the page asks whether to sign out of Tessera, too. */
import type { KoaContextWithOIDC } from 'oidc-provider';
import { digestOf, upsertArtifact } from '../../apps/storage/openid-artifacts.ts';
import { newOpaqueToken } from '../../ground/tokens/opaque-token.ts';
import { findClientApp, findPlatformClient } from './clients.ts';
import { pageUrl } from './pages.ts';
import { openidOf } from './request.ts';

const seconds = 600;

/** The library has checked the hint, the client and the address to return to. */
export async function askToLogOut(ctx: KoaContextWithOIDC): Promise<void> {
  const request = openidOf(ctx);
  const { issuer, context, browser } = request;
  const { client } = ctx.oidc;
  const app = client && (await findClientApp(client.clientId, request));
  // Without a client nothing says which app the person leaves: the page signs out of Tessera.
  const own = client && findPlatformClient(client.clientId, request);
  if (client === undefined || (app === undefined && own === undefined)) return ctx.redirect(pageUrl(ctx, 'logout', {}));
  const id = newOpaqueToken();
  const iat = Math.floor(context.now.getTime() / 1_000);
  const prompt = { name: 'logout', reasons: [] };
  const payload = { browser, prompt, params: { client_id: client.clientId }, returnTo: addressAfter(ctx), iat, exp: iat + seconds };
  await upsertArtifact(context.deps.database, {
    issuer: issuer.url,
    model: 'Interaction',
    digest: digestOf('Interaction', id),
    payload,
    grantId: null,
    userCodeDigest: null,
    userId: null,
    projectAppId: app?.id ?? null,
    sessionId: null,
    organizationId: null,
    expiresAt: new Date((iat + seconds) * 1_000),
  });
  ctx.redirect(pageUrl(ctx, 'logout', { interaction: id }));
}

/** The registered address of the app with its state, or the page that says that it is done. */
export function addressAfter(ctx: KoaContextWithOIDC): string {
  const { post_logout_redirect_uri: uri, state } = ctx.oidc.params ?? {};
  if (typeof uri !== 'string') return pageUrl(ctx, 'logout', { done: 'true' });
  const address = new URL(uri);
  if (typeof state === 'string') address.searchParams.set('state', state);
  return address.href;
}
