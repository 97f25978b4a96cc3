import type { Client, KoaContextWithOIDC } from 'oidc-provider';

/**
 * OpenID Connect Core 11: offline_access needs `prompt=consent`, unless other conditions allow it.
 * The remembered consent is that condition: the scope that the library dropped is put back. It
 * drops it from pushed requests before it stores them, so those come here, too.
 */
export function keepOfflineAccess(ctx: KoaContextWithOIDC, _value: unknown, client: Client): void {
  const { params } = ctx.oidc;
  const given = namesIn(params?.['scope']);
  if (params === undefined || !client.grantTypeAllowed('refresh_token') || given.includes('offline_access')) return;
  if (askedScopes(ctx).includes('offline_access')) params['scope'] = [...given, 'offline_access'].join(' ');
}

/** As the client asked: in the pushed request, the form or the query. */
export function askedScopes({ oidc, query, method }: KoaContextWithOIDC): string[] {
  const pushed: { readonly request?: string } | undefined = oidc.entities.PushedAuthorizationRequest;
  if (pushed?.request !== undefined)
    return namesIn(JSON.parse(Buffer.from(pushed.request.split('.')[1] ?? '', 'base64url').toString('utf8')).scope);
  return namesIn(method === 'POST' ? oidc.body?.['scope'] : query['scope']);
}

function namesIn(scope: unknown): string[] {
  return typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : [];
}
