/** An app on Auth.js: it knows the issuer, its id and its secret. The rest is discovery. */
import { Auth, skipCSRFCheck } from '@auth/core';
import { page, serve } from './serve.mjs';

await serve(async ({ issuer, client_id: clientId, client_secret: clientSecret, url }) => {
  const config = {
    basePath: '/auth',
    trustHost: true,
    secret: 'a secret of the app that signs its own cookies',
    providers: [
      {
        id: 'tessera',
        name: 'Tessera',
        type: 'oidc',
        issuer,
        clientId,
        clientSecret,
        checks: process.argv.includes('--without-pkce') ? ['state', 'nonce'] : ['pkce', 'state', 'nonce'],
        style: { logo: `${url}/auth/none.svg` },
      },
    ],
    callbacks: {
      jwt: ({ token, account, profile }) => (account ? { ...token, idToken: account.id_token, organization: profile.org_id } : token),
      session: ({ session, token }) => ({ ...session, idToken: token.idToken, organization: token.organization }),
    },
    logger: { error: (error) => console.error(error) },
  };

  async function sessionOf(request) {
    const answer = await Auth(new Request(`${url}/auth/session`, { headers: request.headers }), config);
    return answer.json();
  }

  /** Auth.js ends its own session; the address that ends the provider's is in discovery. */
  async function leave(request) {
    const { idToken } = await sessionOf(request);
    const discovered = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: `${url}/bye` });
    const headers = { ...Object.fromEntries(request.headers), 'content-type': 'application/x-www-form-urlencoded' };
    const ended = await Auth(new Request(`${url}/auth/signout`, { method: 'POST', headers, body: '' }), { ...config, skipCSRFCheck });
    const answer = new Response(null, { status: 302, headers: { location: `${discovered.end_session_endpoint}?${query}` } });
    for (const cookie of ended.headers.getSetCookie()) answer.headers.append('set-cookie', cookie);
    return answer;
  }

  /** What `signIn('tessera', {}, { organization })` of its frameworks sends. */
  function signInFor(request, search) {
    const headers = { ...Object.fromEntries(request.headers), 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ callbackUrl: `${url}/organization` });
    const asked = new Request(`${url}/auth/signin/tessera${search}`, { method: 'POST', headers, body });
    return Auth(asked, { ...config, skipCSRFCheck });
  }

  return async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname.startsWith('/auth/')) return Auth(request, config);
    if (pathname === '/bye') return page('Signed out');
    if (pathname === '/leave') return leave(request);
    if (pathname === '/for') return signInFor(request, search);
    const session = await sessionOf(request);
    if (pathname === '/organization') return page(`${session?.user?.email} of ${session?.organization}`);
    return session?.user ? page(`Hello ${session.user.email}`) : Response.redirect(`${url}/auth/signin`);
  };
});
