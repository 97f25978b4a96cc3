import { type AppError, failures, renderGraphqlError } from '@tessera/kernel/errors';

/**
 * Paths that are no operation of a service: OAuth redirects, key sets, GraphQL and the gateway's
 * own.
 */
type Json = Readonly<Record<string, unknown>>;

function ref(status: number): Json {
  return { $ref: `#/components/responses/${status === 429 ? 'RateLimited' : `Error${status}`}` };
}
function json(description: string, schema: Json, example: unknown): Json {
  return {
    description,
    content: { 'application/json': { schema, example } },
  };
}
function graphqlRefusal(description: string, failure: AppError): Json {
  return json(
    description,
    {
      type: 'object',
      required: ['data', 'errors'],
      properties: { data: { type: 'null' }, errors: { type: 'array', items: { type: 'object' } } },
    },
    { data: null, errors: [renderGraphqlError(failure, 'en')] },
  );
}
function query(name: string, description: string, required: boolean, example: string): Json {
  return {
    name,
    in: 'query',
    required,
    description,
    schema: { type: 'string' },
    example,
  };
}
function pathId(name: string): Json {
  return {
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '0198c5f4-7d2a-7c3e-9b1f-2a6d4e8f0c11',
  };
}

/** Fields of a form, all of them required. */
function form(fields: Readonly<Record<string, string>>): Json {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, description]) => [name, { type: 'string', description }]));
  const schema = { type: 'object', required: Object.keys(fields), properties };
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } };
}
const oauthError: Json = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
};

/** A summary and a description. */
type Text = readonly [string, string];

function redirect(operationId: string, [summary, description]: Text, parameters: readonly Json[], extra: Json = {}): Json {
  return {
    get: {
      operationId,
      summary,
      description,
      tags: ['auth'],
      security: [],
      parameters,
      responses: {
        '302': { description: 'On to the next address', headers: { location: { schema: { type: 'string' } } } },
        '400': ref(400),
        '429': ref(429),
        ...extra,
      },
    },
  };
}

function keySet(operationId: string, summary: string, parameters: readonly Json[], extra: Json = {}): Json {
  return {
    get: {
      operationId,
      summary,
      description: 'The public keys that verify tokens of this scope, as a JSON Web Key Set (RFC 7517).',
      tags: ['discovery'],
      security: [],
      parameters,
      responses: {
        '200': json(
          'The public keys of this scope; may be cached as Cache-Control says',
          { $ref: `#/components/schemas/${parameters.length === 0 ? 'JsonWebKeySet' : 'ProjectKeySet'}` },
          {
            keys: [{ kty: 'RSA', kid: '0198c5f4-7d2a-7c3e-9b1f-2a6d4e8f0c11', use: 'sig', alg: 'RS256', n: 'sXch…', e: 'AQAB' }],
          },
        ),
        '304': { description: 'As the ETag in If-None-Match says' },
        '429': ref(429),
        ...extra,
      },
    },
  };
}

const status = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string' }, checks: { type: 'object', additionalProperties: { type: 'string' } } },
};

export const protocolPaths: Readonly<Record<string, Json>> = {
  '/api/auth/codehost': redirect(
    'startCodehostSignIn',
    [
      'Sign in, register or connect with the code host',
      'Starts the OAuth flow: sends the browser to the code host, with a state and a PKCE challenge.',
    ],
    [
      query('action', 'login, register or connect', false, 'login'),
      query('redirect', 'A loopback address, for command lines, or a page of the frontend', false, 'http://127.0.0.1:8123/callback'),
      query('accountType', 'personal or organization, when registering', false, 'personal'),
      query('prompt', 'login: the person must sign in anew at the code host, if it can be told so', false, 'login'),
      query(
        'codeChallenge',
        'S256 of a codeVerifier that the exchange of the one-time code must show; required with a loopback address',
        false,
        'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      ),
    ],
  ),
  '/api/auth/codehost/callback': redirect(
    'finishCodehostSignIn',
    [
      'Where the code host sends the browser back',
      'Ends the OAuth flow and sends the browser to its landing page; a fault is named in the query parameter `error`.',
    ],
    [query('code', 'From the code host', false, 'b1946ac92492d2347c62'), query('state', 'From the start', false, 'qXc0vYtq3mBv8yZ0hM1n2p')],
  ),
  '/api/auth/connections/{id}': redirect(
    'startConnectionSignIn',
    [
      'Sign in by an organization’s identity provider',
      'Sends the browser there. 404 for a connection that does not exist, is not active, or whose organization has proven no domain.',
    ],
    [
      pathId('id'),
      query('action', 'login (default), connect or confirm', false, 'login'),
      query('redirect', 'Where the browser lands afterwards', false, 'https://app.example.com/auth/callback'),
      query('prompt', 'login asks for a new sign-in there', false, 'login'),
      query(
        'codeChallenge',
        'Of a program: the code is bound to its verifier (RFC 7636, S256)',
        false,
        'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      ),
      query('login_hint', 'The address that the person has entered', false, 'ada@example.com'),
    ],
    { '404': ref(404), '503': ref(503) },
  ),
  '/api/auth/connections/{id}/callback': redirect(
    'finishConnectionSignIn',
    [
      'Where an OpenID provider sends the browser back',
      'Ends the sign-in, and sends the browser to its landing page with a code or an `error`.',
    ],
    [
      pathId('id'),
      query('code', 'From the provider', false, 'b1946ac92492d2347c62'),
      query('state', 'From the start', false, 'qXc0vYtq3mBv8yZ0hM1n2p'),
    ],
    { '404': ref(404) },
  ),
  '/api/auth/connections/{id}/acs': {
    ...redirect(
      'finishSamlSignIn',
      ['Where the browser goes on after the form of a SAML provider', 'Ends the sign-in, in the browser that began it.'],
      [
        pathId('id'),
        query('answer', 'From the redirect', false, 'qXc0vYtq3mBv8yZ0hM1n2p'),
        query('state', 'From the start', false, 'qXc0vYtq3mBv8yZ0hM1n2p'),
      ],
      { '404': ref(404) },
    ),
    post: {
      operationId: 'receiveSamlAnswer',
      summary: 'Where a SAML provider posts its answer (Bindings 3.5)',
      description: 'The Assertion Consumer Service. It goes on by a redirect to itself, so that the browser sends its own cookies.',
      tags: ['auth'],
      security: [],
      parameters: [pathId('id')],
      requestBody: form({ SAMLResponse: 'The answer, in base64', RelayState: 'From the request' }),
      responses: {
        '303': { description: 'On to the same address', headers: { location: { schema: { type: 'string' } } } },
        '400': ref(400),
        '404': ref(404),
        '413': ref(413),
        '415': ref(415),
        '429': ref(429),
      },
    },
  },
  '/api/auth/connections/{id}/metadata': {
    get: {
      operationId: 'samlMetadata',
      summary: 'What a SAML provider is told of us',
      description: 'Entity id and Assertion Consumer Service of this connection, also of a draft.',
      tags: ['discovery'],
      security: [],
      parameters: [pathId('id')],
      responses: {
        '200': { description: 'SAML Metadata 2.0', content: { 'application/samlmetadata+xml': { schema: { type: 'string' } } } },
        '404': ref(404),
        '429': ref(429),
      },
    },
  },
  '/api/auth/connections/{id}/backchannel-logout': {
    post: {
      operationId: 'endSessionsByProvider',
      summary: 'Where an OpenID provider ends sessions',
      description:
        'OpenID Connect Back-Channel Logout 1.0. Ends what came by this connection: the session `sid` of the token, or all of its `sub`. A token is accepted once, for five minutes.',
      tags: ['auth'],
      security: [],
      parameters: [pathId('id')],
      requestBody: form({ logout_token: 'Signed by the provider' }),
      responses: {
        '200': { description: 'Ended, or nothing to end' },
        '400': json('The token is not accepted', oauthError, { error: 'invalid_request', error_description: 'it was used before' }),
        '404': ref(404),
        '413': ref(413),
        '415': ref(415),
        '429': ref(429),
        '503': json('The keys of the provider cannot be read: send it again', oauthError, {
          error: 'temporarily_unavailable',
          error_description: 'the keys of the issuer cannot be read',
        }),
      },
    },
  },
  '/api/auth/project/authorize': redirect(
    'authorizeProjectApp',
    ['Sign in to a project app', 'Sends the browser to the app’s provider, or to the page where a magic link is requested.'],
    [
      query('client_id', 'Of the app', true, '0198c5f4-7d2a-7c3e-9b1f-2a6d4e8f0c11'),
      query('redirect_uri', 'One of those that the app allows', true, 'https://app.example.com/callback'),
      query('state', 'Comes back as it is', false, 'xyz'),
      query('provider', 'One that the app allows', false, 'email'),
    ],
    { '404': ref(404) },
  ),
  '/api/auth/project/callback': redirect(
    'finishProjectSignIn',
    [
      'Back to the app, with the access token in the fragment',
      'Ends the sign-in of a provider or a magic link, and sends the browser to the app’s `redirect_uri`.',
    ],
    [
      query('code', 'From the provider', false, 'b1946ac92492d2347c62'),
      query('state', 'From the start', false, 'qXc0vYtq3mBv8yZ0hM1n2p'),
      query('token', 'From a magic link', false, 'qXc0vYtq3mBv8yZ0hM1n2p'),
    ],
  ),
  '/.well-known/jwks.json': keySet('systemKeySet', 'Keys of session tokens', []),
  '/org/{orgId}/prj/{projectId}/.well-known/jwks.json': keySet(
    'organizationProjectKeySet',
    'Keys of a project of an organization',
    [pathId('orgId'), pathId('projectId')],
    { '404': ref(404) },
  ),
  '/acc/{accId}/prj/{projectId}/.well-known/jwks.json': keySet(
    'accountProjectKeySet',
    'Keys of a project of an account',
    [pathId('accId'), pathId('projectId')],
    {
      '404': ref(404),
    },
  ),
  '/api/audit-events/export': {
    get: {
      operationId: 'exportAuditEvents',
      summary: 'The audit log of a scope as a file, streamed',
      description:
        'Needs AuditEvent:Export. Takes the filters of GET /api/audit-events. A file that was cut off ends its connection early.',
      tags: ['audit-events'],
      security: [{ bearer: [] }],
      parameters: [
        query('tenant', 'account, organization, accountProject or organizationProject', true, 'organization'),
        query('scopeId', 'Its id', true, '0198c5f4-7d2a-7c3e-9b1f-2a6d4e8f0c11'),
        query('format', 'csv (default) or ndjson', false, 'csv'),
      ],
      responses: {
        '200': { description: 'The file', content: { 'text/csv': {}, 'application/x-ndjson': {} } },
        ...Object.fromEntries([400, 401, 403, 429, 503].map((status) => [status, ref(status)])),
      },
    },
  },
  '/pictures/{key}': {
    get: {
      operationId: 'picture',
      summary: 'A picture, by the address that its upload gave',
      description: 'Needs no token: the address cannot be guessed.',
      tags: ['discovery'],
      security: [],
      parameters: [
        { name: 'key', in: 'path', required: true, schema: { type: 'string' }, example: '0198c5f4-7d2a-7c3e-9b1f-2a6d4e8f0c11.webp' },
      ],
      responses: { '200': { description: 'The picture', content: { 'image/webp': {} } }, '404': ref(404), '429': ref(429) },
    },
  },
  '/graphql': {
    post: {
      operationId: 'graphql',
      summary: 'The same operations in GraphQL',
      description: 'One GraphQL request. Errors of fields answer 200 and are in `errors`.',
      tags: ['graphql'],
      security: [{}, { bearer: [] }],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['query'],
              additionalProperties: false,
              properties: {
                query: { type: 'string' },
                variables: { type: ['object', 'null'] },
                operationName: { type: ['string', 'null'] },
                extensions: { type: 'object' },
              },
            },
            example: { query: 'query { me { user { id name } email } }' },
          },
        },
      },
      responses: {
        '200': json(
          'Data, and errors of fields and variables',
          { type: 'object', properties: { data: { type: ['object', 'null'] }, errors: { type: 'array', items: { type: 'object' } } } },
          {
            data: { me: { user: { id: '0198c5f4-7d2a-7c3e-9b1f-2a6d4e8f0c11', name: 'Ada' }, email: 'ada@example.com' } },
          },
        ),
        '400': graphqlRefusal('The document does not parse or validate, or is too large', failures.badInput()),
        '413': graphqlRefusal('The body is too large', failures.tooLarge()),
        '415': graphqlRefusal('The body is not application/json', failures.unsupportedMediaType()),
        '429': ref(429),
        '500': graphqlRefusal('A fault on our side', failures.internal()),
      },
    },
  },
  '/health': {
    get: {
      operationId: 'health',
      summary: 'Whether the gateway lives; never limited',
      description: 'Answers without asking any service, for a liveness probe.',
      tags: ['operation'],
      security: [],
      responses: {
        '200': json(
          'It does',
          { type: 'object', required: ['status', 'timestamp'], properties: { status: { type: 'string' }, timestamp: { type: 'string' } } },
          { status: 'ok', timestamp: '2026-01-31T12:00:00.000Z' },
        ),
      },
    },
  },
  '/ready': {
    get: {
      operationId: 'ready',
      summary: 'Whether every service can do its work',
      description: 'Asks every service, for a readiness probe.',
      tags: ['operation'],
      security: [],
      responses: {
        '200': json('All can', status, { status: 'ready', checks: { identity: 'ok', tenancy: 'ok', rbac: 'ok', keys: 'ok' } }),
        '503': json('Some cannot', status, { status: 'not ready', checks: { identity: 'ok', tenancy: 'ok', rbac: 'failed', keys: 'ok' } }),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Prometheus metrics, when they are enabled',
      description: 'Counters and durations of the gateway. Answers 404 when metrics are disabled.',
      tags: ['operation'],
      security: [],
      responses: {
        '200': { description: 'In the text format', content: { 'text/plain': { schema: { type: 'string' } } } },
        '404': ref(404),
      },
    },
  },
};
