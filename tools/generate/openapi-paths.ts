import { kinds } from '@tessera/kernel/errors';
import { deprecationHeaders, deprecationText, isCreating, isVersioned, type Operation } from '@tessera/kernel/operation';
import { accessText, sentence } from './operation-text.ts';

type Json = Readonly<Record<string, unknown>>;
type RestRoute = Extract<Operation<never>['rest'], { method: string }>;

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
/**
 * A schema as plain JSON. The marks `secret: true` and `graphqlType` are ours and no keywords of
 * JSON Schema, so they are left out.
 */
function plain(schema: unknown): unknown {
  const isMark = (name: string, value: unknown) => (name === 'secret' && value === true) || name === 'graphqlType';
  return JSON.parse(JSON.stringify(schema, (name, value) => (isMark(name, value) ? undefined : value)));
}
function recordAt(schema: unknown, name: string): Json {
  return isRecord(schema) && isRecord(schema[name]) ? schema[name] : {};
}
function namesAt(schema: unknown, name: string): readonly unknown[] {
  return isRecord(schema) && Array.isArray(schema[name]) ? schema[name] : [];
}

function pathNames(path: string): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

const ifMatch: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the version that the caller has seen. When the thing has changed since: 412, and nothing happens.',
  schema: { type: 'string', examples: ['"2026-11-05T09:30:00.000Z"'] },
};

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A UUID of your own. Sent again within 24 hours by the same caller with the same request, the answer is the same and nothing happens twice (`idempotency-replayed: true`); with another request: 422.',
  schema: { type: 'string', minLength: 1, maxLength: 255, examples: ['0b0e3d0c-5d0f-4a3c-9d2a-6f6f7f1f2c11'] },
};

type Asked = { readonly input: unknown; readonly access: object; readonly versioned: true | undefined };

function parametersOf({ input, access, versioned }: Asked, rest: RestRoute): readonly Json[] {
  const { method, path } = rest;
  const properties = recordAt(input, 'properties');
  const required = namesAt(input, 'required');
  const inPath = pathNames(path).map((name) => ({ name, in: 'path', required: true, schema: properties[name] ?? { type: 'string' } }));
  if (isVersioned({ rest, versioned })) return [...inPath, ifMatch];
  if (isCreating({ access, rest })) return [...inPath, idempotencyKey];
  if (method !== 'GET' && method !== 'DELETE') return inPath;
  const scope = recordAt(properties.scope, 'properties');
  const isScopeRequired = required.includes('scope');
  const ofScope = isRecord(properties.scope)
    ? [
        { name: 'scopeId', in: 'query', required: isScopeRequired, schema: scope.id },
        { name: 'tenant', in: 'query', required: isScopeRequired, schema: scope.tenant },
      ]
    : [];
  const others = Object.entries(properties)
    .filter(([name]) => name !== 'scope' && !pathNames(path).includes(name))
    .map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      ...(isRecord(schema) && schema.type === 'array' ? { style: 'form', explode: false } : {}),
      schema,
    }));
  return [...inPath, ...ofScope, ...others];
}

/** `example` is what the declaration says of it; the gateway adds the rest from the schema. */
type Examples = { readonly input?: Json; readonly named?: Readonly<Record<string, Json>> };

function bodyOf(input: unknown, { method, path }: RestRoute, { input: example = {}, named }: Examples = {}): Json {
  if (method === 'GET' || method === 'DELETE') return {};
  const inPath = pathNames(path);
  const properties = Object.fromEntries(Object.entries(recordAt(input, 'properties')).filter(([name]) => !inPath.includes(name)));
  if (Object.keys(properties).length === 0) return {};
  const required = namesAt(input, 'required').filter((name) => typeof name === 'string' && !inPath.includes(name));
  const schema = { type: 'object', properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false };
  const inBody = (fields: Json) => Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(properties, name)));
  const all = Object.entries(named ?? {}).map(([name, fields]) => [name, { value: inBody(fields) }]);
  const one = inBody(example);
  const shown = named === undefined ? (Object.keys(one).length === 0 ? {} : { example: one }) : { examples: Object.fromEntries(all) };
  return { requestBody: { required: required.length > 0, content: { 'application/json': { schema, ...shown } } } };
}

const entityTag = { etag: { $ref: '#/components/headers/EntityTag' } };
const consistencyToken = { 'x-consistency-token': { $ref: '#/components/headers/ConsistencyToken' } };

/** The output, with the relations that a request can add to each row. */
function dataOf<Deps>({ output, relations = {} }: Operation<Deps>): unknown {
  const shown = Object.fromEntries(Object.entries(relations).map(([name, { schema }]) => [name, schema]));
  const withRelations = (row: unknown) => (isRecord(row) ? { ...row, properties: { ...recordAt(row, 'properties'), ...shown } } : row);
  const data = plain(output);
  const properties = recordAt(data, 'properties');
  if (!isRecord(data) || !isRecord(properties.items)) return plain(withRelations(data));
  const items = { ...properties.items, items: withRelations(properties.items.items) };
  return plain({ ...data, properties: { ...properties, items } });
}

function deprecationHeadersOf(deprecated: Operation<never>['deprecated']): Json {
  if (deprecated === undefined) return {};
  const { deprecation, sunset } = deprecationHeaders(deprecated);
  return {
    deprecation: { description: 'Since when the operation is deprecated (RFC 9745)', schema: { type: 'string', const: deprecation } },
    sunset: { description: 'From when on it may be gone (RFC 8594)', schema: { type: 'string', const: sunset } },
  };
}

function success<Deps>(operation: Operation<Deps>, rest: RestRoute): Json {
  const data = dataOf(operation);
  const schema =
    rest.download === undefined
      ? { type: 'object', properties: { success: { type: 'boolean', const: true }, data }, required: ['success', 'data'] }
      : data;
  const isOneThing = isVersioned(operation) || (rest.method === 'GET' && (rest.path.endsWith('/:id') || rest.path === '/api/me'));
  const shown = {
    ...(operation.kind === 'mutation' ? consistencyToken : {}),
    ...(isOneThing ? entityTag : {}),
    ...deprecationHeadersOf(operation.deprecated),
  };
  const headers = Object.keys(shown).length > 0 ? { headers: shown } : {};
  return { description: 'Success', ...headers, content: { 'application/json': { schema } } };
}

function errorAnswer(description: string): Json {
  return {
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

function errorStatuses<Deps>({
  access,
  errors,
  scopes,
  verification,
  kind,
  freshness,
  assurance,
  rest,
  versioned,
}: Operation<Deps>): ReadonlyMap<number, readonly string[]> {
  const always = ['BAD_USER_INPUT', 'VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR'];
  const guarded = 'open' in access ? [] : ['UNAUTHENTICATED', ...('permission' in access ? ['FORBIDDEN'] : [])];
  const gated =
    kind === 'mutation' && typeof verification === 'string' && (scopes !== 'none' || verification !== 'by-scope')
      ? ['EMAIL_VERIFICATION_REQUIRED']
      : [];
  // An organization may demand either of sessions, whatever the operation.
  const isUnderPolicy = 'permission' in access;
  const levels = [
    ...(isUnderPolicy || assurance !== undefined ? ['SECOND_FACTOR_REQUIRED'] : []),
    ...(isUnderPolicy || freshness !== undefined ? ['FRESH_SIGN_IN_REQUIRED'] : []),
    ...(isUnderPolicy ? ['NEW_PASSWORD_REQUIRED', 'CONNECTION_REQUIRED'] : []),
    ...(isUnderPolicy ? ['TENANT_SUSPENDED'] : []),
  ];
  const ofVersion = isVersioned({ rest, versioned }) ? ['PRECONDITION_FAILED'] : [];
  const once = isCreating({ access, rest }) ? ['IDEMPOTENCY_KEY_REUSED'] : [];
  const codes = new Set([...always, ...ofVersion, ...once, ...guarded, ...gated, ...levels, ...errors]);
  const statuses = new Map<number, string[]>();
  const seen = new Set<string>();
  for (const { status, code } of Object.values(kinds)) {
    if (!codes.has(code) || seen.has(code)) continue;
    seen.add(code);
    statuses.set(status, [...(statuses.get(status) ?? []), code]);
  }
  return statuses;
}

/** Names the tenants that the operation accepts, in place of all that there are. */
function withOwnTenants(input: unknown, scopes: Operation<never>['scopes']): unknown {
  const properties = recordAt(input, 'properties');
  const { scope } = properties;
  if (!isRecord(input) || !isRecord(scope) || scopes === 'none') return input;
  const tenant = { ...recordAt(recordAt(scope, 'properties'), 'tenant'), enum: [...scopes] };
  return { ...input, properties: { ...properties, scope: { ...scope, properties: { ...recordAt(scope, 'properties'), tenant } } } };
}

/** What the declaration says: the summary, who may call it, and the errors of its own. */
function descriptionOf<Deps>({ summary, access, errors, deprecated }: Operation<Deps>): string {
  const own = errors.length > 0 ? [`Errors of its own: ${errors.map((code) => `\`${code}\``).join(', ')}.`] : [];
  const end = deprecated === undefined ? [] : [sentence(deprecationText(deprecated))];
  return [sentence(summary), ...end, accessText(access), ...own].join('\n\n');
}

/**
 * The paths of a service's operations as OpenAPI 3.1; the gateway merges the services' and adds the
 * shared components.
 */
export function openApiPaths<Deps>(operations: readonly Operation<Deps>[]): Record<string, Record<string, Json>> {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const { rest, name, summary, access, deprecated, versioned } = operation;
    if (!('method' in rest)) continue;
    const input = withOwnTenants(plain(operation.input), operation.scopes);
    const path = rest.path.replace(/:(\w+)/g, '{$1}');
    const responses: Record<string, Json> = { [String(rest.status ?? 200)]: success(operation, rest) };
    if (rest.orExisting === true) responses['200'] = { ...responses['201'], description: 'It is there already.' };
    for (const [status, codes] of errorStatuses(operation)) responses[String(status)] = errorAnswer(codes.join(' or '));
    const entry: Json = {
      operationId: name,
      summary,
      description: descriptionOf(operation),
      tags: [rest.path.split('/')[2] ?? 'api'],
      security: 'open' in access ? [] : 'optional' in access ? [{}, { bearer: [] }] : [{ bearer: [] }],
      ...(deprecated === undefined ? {} : { deprecated: true, 'x-deprecation': deprecated }),
      ...('permission' in access ? { 'x-permission': access.permission } : {}),
      parameters: parametersOf({ input, access, versioned }, rest),
      ...bodyOf(input, rest, operation.example),
      responses,
    };
    paths[path] = { ...paths[path], [rest.method.toLowerCase()]: entry };
  }
  return paths;
}
