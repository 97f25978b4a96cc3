import { languages } from '@tessera/kernel/errors';
import { authzenPaths } from './authzen-paths.ts';
import { components, responseOf } from './components.ts';
import { protocolPaths } from './protocol-paths.ts';
import { sample } from './sample.ts';
import { tagDescriptions } from './tags.ts';

type Json = Readonly<Record<string, unknown>>;
export type Paths = Readonly<Record<string, Readonly<Record<string, Json>>>>;

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isJson(inner) ? inner[name] : undefined), value);
}

const description = `Identity and access management for products that have many tenants.

Tokens go into \`Authorization: Bearer …\`. Browsers keep the refresh token in the HttpOnly cookie \`__Host-refresh_token\` (over http \`refresh_token\`), set at sign-in. Nearly everything happens in a **scope**: \`scopeId\` and \`tenant\` in the query of GET and DELETE, \`scope\` in the body of POST, PUT and PATCH. Errors have one shape (\`Error\`), but for the limiter's 429 (\`RateLimitError\`) and what other standards fix; their \`code\` never changes, their text follows \`Accept-Language\` (${languages.join(', ')}).

Every write answers an \`x-consistency-token\`. A request that sends it is decided from no older state, wherever it is answered; \`cache-control: no-cache\` goes past every memory of decisions. \`cache-control: max-stale\` (RFC 9111) says that an answer may be old, at most five seconds: where the operator runs replicas of the databases, one of them may answer a read, and \`x-read-from: replica\` says that it did. Rights are decided as ever, and a request with an \`x-consistency-token\` is never answered from the past.

One thing is answered with an \`ETag\`: its version, which every item of a list shows too (\`updatedAt\`, of a member \`version\`). A PATCH (and \`PUT /api/client-documents\`) that sends it as \`If-Match\` (in GraphQL \`ifMatch\`) is refused with 412 when the thing has changed since.

A request that makes something (201) may name an \`Idempotency-Key\` (in GraphQL \`idempotencyKey\`): a UUID of its own. A client that gets no answer sends the request again with the same key, for up to 24 hours: the operation runs once, and both answers are the same. Another request with that key is refused with 422.`;

/**
 * One OpenAPI 3.1 document of the paths of all services. Throws if two services have the same one.
 */
export function openApiDocument(services: Readonly<Record<string, Paths>>, version: string): Json {
  const paths: Record<string, Json> = {};
  const owners = new Map<string, string>();
  for (const [service, own] of Object.entries(services)) {
    for (const [path, methods] of Object.entries(own)) {
      for (const [method, operation] of Object.entries(methods)) {
        const owner = owners.get(`${method} ${path}`);
        if (owner !== undefined) throw new Error(`${method} ${path} is claimed by ${owner} and ${service}`);
        owners.set(`${method} ${path}`, service);
        paths[path] = { ...paths[path], [method]: enriched(operation, service) };
      }
    }
  }
  const all = Object.entries({ ...protocolPaths, ...authzenPaths, ...paths }).sort(([left], [right]) => (left < right ? -1 : 1));
  const tags = new Set(
    all.flatMap(([, methods]) => Object.values(methods).flatMap((operation) => (isJson(operation) ? operation['tags'] : []))),
  );
  return {
    openapi: '3.1.0',
    info: { title: 'Tessera', version, description, license: { name: 'Apache 2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/', description: 'This installation' }],
    tags: [...tags].map((name) => ({ name, description: tagDescription(String(name)) })),
    paths: Object.fromEntries(all),
    components,
  };
}

function tagDescription(name: string): string {
  const text = tagDescriptions[name];
  if (text === undefined) throw new Error(`the tag ${name} has no description in tags.ts`);
  return text;
}

/**
 * Adds examples from the schemas, references to the shared errors, and the errors that only the
 * gateway returns.
 */
function enriched(operation: Json, service: string): Json {
  const hasBody = isJson(operation['requestBody']);
  const statuses = new Set([...errorStatuses(operation), 429, 500, 502, 503, 504, ...(hasBody ? [413, 415] : [])]);
  const errors = [...statuses]
    .sort((left, right) => left - right)
    .map((status) => [String(status), { $ref: `#/components/responses/${responseOf(status)}` }]);
  const parameters = Array.isArray(operation['parameters']) ? operation['parameters'].filter(isJson).filter(isOfUse) : [];
  return {
    ...operation,
    'x-service': service,
    parameters: withScopeExamples(
      parameters.map((parameter) => ({ ...parameter, example: sample(parameter['schema'], String(parameter['name'])) })),
    ),
    ...(hasBody ? { requestBody: withExample(operation['requestBody']) } : {}),
    responses: { ...Object.fromEntries(successes(operation)), ...Object.fromEntries(errors) },
  };
}

/** A list that allows no value (an entity without relations) is left out. */
function isOfUse({ schema }: Json): boolean {
  const choices = at(schema, 'items', 'enum');
  return !Array.isArray(choices) || choices.length > 0;
}

function responsesOf(operation: Json): readonly (readonly [string, unknown])[] {
  return Object.entries(isJson(operation['responses']) ? operation['responses'] : {});
}

function errorStatuses(operation: Json): readonly number[] {
  return responsesOf(operation).flatMap(([status]) => (Number(status) >= 400 ? [Number(status)] : []));
}

function successes(operation: Json) {
  return responsesOf(operation)
    .filter(([status]) => Number(status) < 400)
    .map(([status, response]) => [status, withExample(response)]);
}

/** From the schema, with what the operation's declaration says of it. */
function exampleOf({ schema, example }: Json): unknown {
  const sampled = sample(schema);
  return isJson(example) && isJson(sampled) ? { ...sampled, ...example } : sampled;
}

function withExample(holder: unknown): unknown {
  const media = at(holder, 'content', 'application/json');
  if (!isJson(holder) || !isJson(media)) return holder;
  const { schema, examples } = media;
  if (!isJson(examples)) return { ...holder, content: { 'application/json': { ...media, example: exampleOf(media) } } };
  const named = Object.entries(examples).map(([name, given]) => [name, { value: exampleOf({ schema, example: at(given, 'value') }) }]);
  return { ...holder, content: { 'application/json': { ...media, examples: Object.fromEntries(named) } } };
}

/** A scope in a query is two parameters with matching examples. */
function withScopeExamples(parameters: readonly Json[]): readonly Json[] {
  const tenant = parameters.find(({ name }) => name === 'tenant')?.['example'];
  if (tenant === undefined) return parameters;
  const scope = sample({ type: 'object', properties: { tenant: { const: tenant }, id: { type: 'string' } } });
  return parameters.map((parameter) => (parameter['name'] === 'scopeId' ? { ...parameter, example: at(scope, 'id') } : parameter));
}
