/** Configurations of common libraries for an app. Secrets come from the environment. */
import type { App } from './fields.ts';

export type Snippet = { readonly library: string; readonly code: string };
type Client = {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly afterLogout: string | undefined;
  readonly scope: string;
};

export function snippetsOf({ type, clientId, redirectUris, postLogoutRedirectUris, scopes }: App, issuer: string): Snippet[] {
  const client: Client = {
    issuer,
    clientId,
    redirectUri: redirectUris[0] ?? 'https://app.example/callback',
    afterLogout: postLogoutRedirectUris[0],
    scope: ['openid', 'profile', 'email', ...scopes].join(' '),
  };
  if (type === null) return [{ library: 'HTTP', code: fragmentFlow(client) }];
  return snippetsOfType[type].map(([library, write]) => ({ library, code: write(client) }));
}

type Writer = readonly [library: string, write: (client: Client) => string];

/** openid-client and oauth4webapi refuse plain HTTP, which `npm start` speaks, unless allowed. */
const isPlain = (issuer: string): boolean => issuer.startsWith('http:');

const signIn = (client: Client, authentication: readonly [secret: string, method: string]) => `import * as client from 'openid-client';

const config = await client.discovery(
  new URL('${client.issuer}'),
  '${client.clientId}',
${argumentsOf(client.issuer, authentication)}
);

// Begin: keep the verifier in the person's session.
const codeVerifier = client.randomPKCECodeVerifier();
const url = client.buildAuthorizationUrl(config, {
  redirect_uri: '${client.redirectUri}',
  scope: '${client.scope}',
  code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
  code_challenge_method: 'S256',
});

// At the redirect URI:
const tokens = await client.authorizationCodeGrant(config, new URL(request.url), {
  pkceCodeVerifier: codeVerifier,
});
console.log(tokens.claims());`;

/** Of discovery, after the client id. */
function argumentsOf(issuer: string, [secret, method]: readonly [secret: string, method: string]): string {
  const list = isPlain(issuer)
    ? [secret, method, '{ execute: [client.allowInsecureRequests] }']
    : method === 'undefined'
      ? [secret]
      : [secret, method];
  return list.map((argument) => `  ${argument},`).join('\n');
}

const confidential = ['process.env.CLIENT_SECRET', 'undefined'] as const;
const openidClient: Writer = ['openid-client (Node.js)', (client) => signIn(client, confidential)];
const publicOpenidClient: Writer = ['openid-client (Node.js)', (client) => signIn(client, ['undefined', 'client.None()'])];

const oauth4webapi = (authentication: string): Writer => [
  'oauth4webapi (any JavaScript)',
  ({ issuer, clientId, redirectUri, scope }) => `import * as oauth from 'oauth4webapi';

${isPlain(issuer) ? 'const insecure = { [oauth.allowInsecureRequests]: true };\n' : ''}const issuer = new URL('${issuer}');
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer${isPlain(issuer) ? ', insecure' : ''}));
const client = { client_id: '${clientId}' };
const authentication = ${authentication};

// Begin: keep the verifier in the person's session.
const verifier = oauth.generateRandomCodeVerifier();
const url = new URL(server.authorization_endpoint);
url.search = new URLSearchParams({
  client_id: client.client_id,
  redirect_uri: '${redirectUri}',
  response_type: 'code',
  scope: '${scope}',
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
}).toString();

// At the redirect URI:
const parameters = oauth.validateAuthResponse(server, client, new URL(request.url), oauth.expectNoState);
const response = await oauth.authorizationCodeGrantRequest(
  server, client, authentication, parameters, '${redirectUri}', verifier,${isPlain(issuer) ? ' insecure,' : ''}
);
const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);`,
];

const authJs: Writer = [
  'Auth.js',
  ({ issuer, clientId, scope }) => `// auth.ts; the redirect URI is <your app>/api/auth/callback/tessera
import NextAuth from 'next-auth';

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'tessera',
      name: 'Tessera',
      type: 'oidc',
      issuer: '${issuer}',
      clientId: '${clientId}',
      clientSecret: process.env.CLIENT_SECRET,
      authorization: { params: { scope: '${scope}' } },
      checks: ['pkce', 'state', 'nonce'],
    },
  ],
});`,
];

const authlib: Writer = [
  'authlib (Python)',
  ({ issuer, clientId, redirectUri, scope }) => `import os
from authlib.integrations.flask_client import OAuth

oauth = OAuth(app)
tessera = oauth.register(
    "tessera",
    server_metadata_url="${issuer}/.well-known/openid-configuration",
    client_id="${clientId}",
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={"scope": "${scope}", "code_challenge_method": "S256"},
)

@app.get("/login")
def login():
    return tessera.authorize_redirect("${redirectUri}")

# At the redirect URI:
#     token = tessera.authorize_access_token()
#     token["userinfo"]["sub"]`,
];

const apache: Writer = [
  'Apache mod_auth_openidc',
  ({ issuer, clientId, redirectUri, scope }) => `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${clientId}
OIDCClientSecret \${CLIENT_SECRET}
OIDCRedirectURI ${redirectUri}
OIDCCryptoPassphrase "exec:/bin/cat /etc/apache2/oidc-passphrase"
OIDCScope "${scope}"
OIDCPKCEMethod S256

<Location />
  AuthType openid-connect
  Require valid-user
</Location>`,
];

const spring: Writer = [
  'Spring Boot (Java)',
  ({ issuer, clientId, scope }) => `# application.yaml; the redirect URI is <your app>/login/oauth2/code/tessera
spring:
  security:
    oauth2:
      client:
        registration:
          tessera:
            client-id: ${clientId}
            client-secret: \${CLIENT_SECRET}
            scope: ${scope.replaceAll(' ', ', ')}
        provider:
          tessera:
            issuer-uri: ${issuer}
# Switch PKCE on: OAuth2AuthorizationRequestCustomizers.withPkce()`,
];

const oidcClientTs: Writer = [
  'oidc-client-ts (browser)',
  ({ issuer, clientId, redirectUri, afterLogout, scope }) => `import { UserManager } from 'oidc-client-ts';

const manager = new UserManager({
  authority: '${issuer}',
  client_id: '${clientId}',
  redirect_uri: '${redirectUri}',${afterLogout === undefined ? '' : `\n  post_logout_redirect_uri: '${afterLogout}',`}
  scope: '${scope}',
});

await manager.signinRedirect();
// At the redirect URI:
const user = await manager.signinRedirectCallback();`,
];

const appAuth: Writer = [
  'AppAuth (Android, Kotlin)',
  ({ issuer, clientId, redirectUri, scope }) => `AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse("${issuer}")) { config, _ ->
    val request = AuthorizationRequest.Builder(
        config!!, "${clientId}", ResponseTypeValues.CODE, Uri.parse("${redirectUri}"),
    ).setScope("${scope}").build()
    startActivityForResult(AuthorizationService(this).getAuthorizationRequestIntent(request), 1)
}`,
];

const curl: Writer = [
  'curl',
  ({ issuer, clientId }) => `curl ${issuer}/oauth/token \\
  --user "${clientId}:$CLIENT_SECRET" \\
  --data grant_type=client_credentials`,
];

const machineClient: Writer = [
  'openid-client (Node.js)',
  ({ issuer, clientId }) => `import * as client from 'openid-client';

const config = await client.discovery(
  new URL('${issuer}'),
  '${clientId}',
${argumentsOf(issuer, confidential)}
);
const { access_token, expires_in } = await client.clientCredentialsGrant(config);`,
];

const machineAuthlib: Writer = [
  'authlib (Python)',
  ({ issuer, clientId }) => `import os
from authlib.integrations.requests_client import OAuth2Session

session = OAuth2Session("${clientId}", os.environ["CLIENT_SECRET"])
token = session.fetch_token("${issuer}/oauth/token", grant_type="client_credentials")`,
];

const snippetsOfType: Readonly<Record<NonNullable<App['type']>, readonly Writer[]>> = {
  web: [openidClient, oauth4webapi('oauth.ClientSecretBasic(process.env.CLIENT_SECRET)'), authJs, authlib, apache, spring],
  spa: [oidcClientTs, oauth4webapi('oauth.None()')],
  native: [publicOpenidClient, appAuth],
  machine: [curl, machineClient, machineAuthlib],
};

function fragmentFlow({ clientId, redirectUri }: Client): string {
  return `GET /api/auth/project/authorize?client_id=${clientId}&redirect_uri=${encodeURIComponent(redirectUri)}&provider=email`;
}
