/** An app on oauth4webapi: it knows the issuer, its id and its secret. The rest is discovery. */
import * as oauth from 'oauth4webapi';
import { page, serve } from './serve.mjs';

const plain = { [oauth.allowInsecureRequests]: true };

await serve(async ({ issuer, client_id, client_secret: clientSecret, url }) => {
  const address = new URL(issuer);
  const server = await oauth.processDiscoveryResponse(address, await oauth.discoveryRequest(address, plain));
  const client = { client_id };
  const authentication = oauth.ClientSecretBasic(clientSecret);
  const redirectUri = `${url}/cb`;
  const [verifier, state, nonce] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState(), oauth.generateRandomNonce()];
  let idToken;

  async function begin() {
    const request = new URL(server.authorization_endpoint);
    const challenge = { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
    const parameters = { client_id, redirect_uri: redirectUri, response_type: 'code', scope: 'openid email', state, nonce, ...challenge };
    request.search = new URLSearchParams(parameters).toString();
    return Response.redirect(request);
  }

  async function end(location) {
    const parameters = oauth.validateAuthResponse(server, client, location, state);
    const given = await oauth.authorizationCodeGrantRequest(server, client, authentication, parameters, redirectUri, verifier, plain);
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, given, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, given, plain);
    const { sub } = oauth.getValidatedIdTokenClaims(tokens);
    const asked = await oauth.userInfoRequest(server, client, tokens.access_token, plain);
    const { email } = await oauth.processUserInfoResponse(server, client, sub, asked);
    idToken = tokens.id_token;
    return page(`Hello ${email}`);
  }

  return async (request) => {
    const location = new URL(request.url);
    if (location.pathname === '/cb') return end(location);
    if (location.pathname === '/bye') return page('Signed out');
    if (location.pathname !== '/leave') return begin();
    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: `${url}/bye` });
    return Response.redirect(`${server.end_session_endpoint}?${query}`);
  };
});
