import { type AppError, failures, kinds, reasons, renderError } from '@tessera/kernel/errors';
import { idempotencyErrors } from '@tessera/kernel/operation';
import { errors as quotaErrors } from '@tessera/kernel/quota';
import { limitBody } from '../limits/refusal.ts';
import { authzenSchemas } from './authzen-paths.ts';

type Json = Readonly<Record<string, unknown>>;

/** One example of each error that a client can get, by its code. */
const examples: readonly AppError[] = [
  failures.badInput(),
  failures.validation('name', reasons.required),
  failures.unauthenticated(),
  failures.forbidden(),
  failures.unverified(),
  failures.notFound('Role'),
  failures.conflict('Role', 'name'),
  failures.changedMeanwhile(),
  failures.tooLarge(),
  failures.unsupportedMediaType(),
  idempotencyErrors.usedOtherwise(),
  failures.internal(),
  failures.badGateway('rbac'),
  failures.unavailable('rbac'),
  failures.timeout('rbac'),
];

const descriptions: Readonly<Record<number, string>> = {
  400: 'The request could not be read, or a field of it is not valid',
  401: 'No token, an invalid or expired one, or a revoked session',
  403: 'Not permitted, or the email address is not verified yet',
  404: 'It does not exist, or is not accessible in this scope',
  409: 'Something like it exists already, or its state does not allow it',
  412: 'It has changed since the version in If-Match',
  413: 'The body is too large: 1 MiB, pictures 6 MiB',
  415: 'The body is not application/json',
  422: 'The Idempotency-Key was sent before, with another request',
  500: 'A fault on our side',
  502: 'A service gave no valid answer',
  503: 'A service is not available',
  504: 'A service took too long',
};

const requestId = { 'x-request-id': { description: 'Names this request in our logs', schema: { type: 'string' } } };

function errorResponse(status: number): Json {
  const ofStatus = examples.filter((example) => kinds[example.kind].status === status);
  const shown = ofStatus.map((example) => {
    const { body } = renderError(example, 'en');
    return [body.code, { value: body }] as const;
  });
  return {
    description: descriptions[status],
    headers: requestId,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(shown) } },
  };
}

const quotaExample = { params: { limit: 600, seconds: 12 }, extensions: { quota: 'requestsPerMinute', limit: 600 } };
const rateLimited: Json = {
  description:
    'A limit is exceeded: RateLimitError from the limits by address and credential, Error from the quota of the account or organization',
  headers: {
    ...requestId,
    'retry-after': { description: 'Seconds until it is worth trying again', schema: { type: 'integer' } },
    ratelimit: { description: 'What is left of each limit (draft-ietf-httpapi-ratelimit-headers)', schema: { type: 'string' } },
    'ratelimit-policy': { description: 'The limits', schema: { type: 'string' } },
  },
  content: {
    'application/json': {
      schema: { anyOf: [{ $ref: '#/components/schemas/RateLimitError' }, { $ref: '#/components/schemas/Error' }] },
      examples: {
        limit: { value: limitBody({ resetSeconds: 840, layer: 'global' }, 'en', false) },
        quota: { value: renderError(quotaErrors.tooManyRequests(quotaExample), 'en').body },
      },
    },
  },
};

export function responseOf(status: number): string {
  return status === 429 ? 'RateLimited' : `Error${status}`;
}

export const components: Json = {
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'An access token: of a session, an API key or a project app',
    },
  },
  headers: {
    EntityTag: { description: 'The version, for If-Match with a later change', schema: { type: 'string' } },
    ConsistencyToken: { description: 'Sent with a later question, it is answered from no older state', schema: { type: 'string' } },
  },
  responses: {
    ...Object.fromEntries(Object.keys(descriptions).map((status) => [responseOf(Number(status)), errorResponse(Number(status))])),
    RateLimited: rateLimited,
  },
  schemas: {
    ...authzenSchemas,
    Error: {
      type: 'object',
      required: ['error', 'code'],
      properties: {
        error: { type: 'string', description: 'For people, in the language of Accept-Language (en, de)' },
        code: {
          type: 'string',
          description: 'For programs; never changes',
          enum: [...new Set(Object.values(kinds).map(({ code }) => code))],
        },
        extensions: { type: 'object', description: 'More, such as field and resource' },
        translationKey: { type: 'string', pattern: '^errors\\.', description: 'On 4xx answers' },
        translationParams: { type: 'object' },
        stack: { type: 'string', description: 'Only in development, on 500' },
      },
    },
    RateLimitError: {
      type: 'object',
      required: ['success', 'error', 'code', 'translationKey'],
      properties: {
        success: { type: 'boolean', const: false },
        error: {
          type: 'object',
          required: ['code', 'message'],
          properties: { code: { type: 'string', const: 'rate_limit_exceeded' }, message: { type: 'string' } },
        },
        code: { type: 'string', const: 'RATE_LIMIT_EXCEEDED' },
        extensions: {
          type: 'object',
          description: 'The limit that was reached, and what the operator of the installation can do about it',
          properties: { limit: { enum: ['global', 'auth', 'tenant', 'credential', 'public'] }, hint: { type: 'string' } },
        },
        translationKey: { type: 'string' },
        translationParams: { type: 'object' },
      },
    },
    JsonWebKeySet: {
      type: 'object',
      required: ['keys'],
      properties: { keys: { type: 'array', items: { $ref: '#/components/schemas/RsaKey' } } },
    },
    ProjectKeySet: {
      type: 'object',
      required: ['keys'],
      properties: {
        keys: { type: 'array', items: { oneOf: [{ $ref: '#/components/schemas/RsaKey' }, { $ref: '#/components/schemas/EllipticKey' }] } },
      },
    },
    RsaKey: publicKey(
      'RSA',
      'RS256',
      { n: { type: 'string' }, e: { type: 'string' } },
      'Verifies access tokens, ID tokens and logout tokens',
    ),
    EllipticKey: publicKey(
      'EC',
      'ES256',
      { crv: { type: 'string', const: 'P-256' }, x: { type: 'string' }, y: { type: 'string' } },
      'Verifies ID tokens and logout tokens of apps that choose ES256, and no access token',
    ),
  },
};

/** RFC 7517. */
function publicKey(kty: string, alg: string, members: Json, description: string) {
  return {
    type: 'object',
    description,
    required: ['kty', 'kid', 'use', 'alg', ...Object.keys(members)],
    properties: {
      kty: { type: 'string', const: kty },
      kid: { type: 'string' },
      use: { type: 'string', const: 'sig' },
      alg: { type: 'string', const: alg },
      ...members,
    },
  };
}
