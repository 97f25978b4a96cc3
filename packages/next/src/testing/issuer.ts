/** An OpenID provider in memory, reached by its `fetch`: what it answers can be bent by a test. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const issuerUrl = 'https://iam.example.com/org/o/prj/p';
export const clientId = 'client';

export async function startIssuer(nowMs: () => number) {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const codes = new Map<string, { readonly nonce: string; readonly organization: string | null }>();
  /** By refresh token, of which none is used up here: the grant, which one revocation ends. */
  const grants = new Map<string, { readonly grant: string; readonly organization: string | null }>();
  const counts = { refreshed: 0, revoked: [] as string[] };
  const bent: { claims: object; refresh: 'good' | 'refused' | 'unreachable'; subject: string } = {
    claims: {},
    refresh: 'good',
    subject: 'ada',
  };

  const sign = (claims: object, audience = clientId) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(issuerUrl)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('10 minutes')
      .sign(privateKey);

  async function tokens(organization: string | null, more: object) {
    const claims = {
      sub: bent.subject,
      sid: 'sid-1',
      name: 'Ada',
      email: 'ada@example.com',
      email_verified: true,
      acr: 'aal1',
      ...(organization !== null && { org_id: organization, org_slug: 'acme' }),
      ...more,
      ...bent.claims,
    };
    const refreshToken = `refresh-${counts.refreshed}-${crypto.randomUUID()}`;
    // As Tessera derives it: of session, app and organization.
    grants.set(refreshToken, { grant: JSON.stringify([claims.sid, organization]), organization });
    return Response.json({
      access_token: `access-${nowMs()}-${counts.refreshed}`,
      refresh_token: refreshToken,
      id_token: await sign(claims),
      token_type: 'bearer',
      expires_in: 900,
      scope: 'openid profile email offline_access',
    });
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const at = (name: string) => `${issuerUrl}/${name}`;
    if (pathname.endsWith('/.well-known/openid-configuration'))
      return Response.json({
        issuer: issuerUrl,
        authorization_endpoint: at('oauth/authorize'),
        token_endpoint: at('oauth/token'),
        revocation_endpoint: at('oauth/revoke'),
        end_session_endpoint: at('oauth/logout'),
        jwks_uri: at('jwks.json'),
        code_challenge_methods_supported: ['S256'],
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    if (pathname.endsWith('/jwks.json')) return Response.json({ keys: [jwk] });
    const form = new URLSearchParams(await request.text());
    if (pathname.endsWith('/revoke')) {
      const token = form.get('token') ?? '';
      counts.revoked.push(token);
      const ended = grants.get(token)?.grant;
      for (const [each, { grant }] of grants) if (grant === ended) grants.delete(each);
      return new Response(null, { status: 200 });
    }
    if (form.get('grant_type') === 'refresh_token') {
      counts.refreshed += 1;
      if (bent.refresh === 'unreachable') throw new TypeError('fetch failed');
      const known = grants.get(form.get('refresh_token') ?? '');
      if (bent.refresh === 'refused' || known === undefined) return Response.json({ error: 'invalid_grant' }, { status: 400 });
      return tokens(known.organization, {});
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    if (code === undefined || form.get('code_verifier') === null) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    return tokens(code.organization, { nonce: code.nonce });
  }

  return {
    counts,
    bent,
    sign,
    fetch: (async (input: string | URL | Request, init?: RequestInit) => answer(new Request(input, init))) as typeof fetch,
    /** The person signs in: where the browser is sent back to. */
    approve(address: string): URL {
      const { searchParams } = new URL(address);
      const code = crypto.randomUUID();
      codes.set(code, { nonce: searchParams.get('nonce') ?? '', organization: searchParams.get('organization') });
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code, state: searchParams.get('state') ?? '' }).toString();
      return back;
    },
  };
}
