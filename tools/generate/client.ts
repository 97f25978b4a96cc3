import { definedErrors } from '@tessera/kernel/errors';
import { type Deprecation, deprecationText } from '@tessera/kernel/operation';
import { apiDocument } from './openapi.ts';
import type { Step } from './step.ts';
import { isJson, type Json, typeOf } from './typescript-types.ts';

type Parameter = { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: Json };
type ApiOperation = {
  readonly operationId: string;
  readonly summary: string;
  readonly 'x-deprecation'?: Deprecation;
  readonly security?: readonly Json[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
};
type Described = { readonly method: string; readonly path: string; readonly operation: ApiOperation };

const notice = '// Written by `npm run generate` from docs/openapi.json.\n';

/** The operations for `@tessera/client`: their types, and a table of methods and paths. */
export const client: Step = {
  name: 'client',
  make: async (root) => {
    const document = await apiDocument(root);
    const operations = operationsOf(document['paths']).sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
    const folder = 'packages/client/src/generated';
    return [
      { path: `${folder}/types.ts`, content: types(operations, document) },
      { path: `${folder}/routes.ts`, content: routes(operations) },
      { path: `${folder}/error-keys.ts`, content: errorKeys() },
    ];
  },
};

function nameOf({ operation }: Described): string {
  return operation.operationId;
}

/** The operations of the services. Redirects, key sets and the gateway's own paths are none. */
function operationsOf(paths: unknown): Described[] {
  return Object.entries(paths as Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      path.startsWith('/api/') && output(operation) !== undefined ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  );
}

/** Reading the operations has declared the errors of every service. */
function errorKeys(): string {
  const keys = [...definedErrors()].map(([key]) => `  | '${key}'`).sort();
  const about = '/** The `translationKey` of every error: what a client can switch on. Keys are added, never renamed. */';
  return `${notice}${about}\nexport type TesseraErrorKey =\n${keys.join('\n')};\n`;
}

/** `!`: the operation needs no token. `?`: it takes one if there is one. */
function routes(operations: readonly Described[]): string {
  const lines = operations.map(({ method, path, operation: { operationId, security = [] } }) => {
    const access = security.length === 0 ? '!' : security.some((item) => Object.keys(item).length === 0) ? '?' : '';
    return `  ${operationId}: '${method}${access} ${path.slice('/api'.length)}',`;
  });
  return `${notice}export const routes = {\n${lines.join('\n')}\n} as const;\n`;
}

/** TypeScript and editors know this tag. */
function endOf({ 'x-deprecation': deprecation }: ApiOperation): string {
  return deprecation === undefined ? '' : ` @deprecated ${deprecationText(deprecation)}`;
}

function types(operations: readonly Described[], document: Json): string {
  const codes = at(document, 'components', 'schemas', 'Error', 'properties', 'code');
  const entries = operations.map(
    (described) =>
      `  /** ${described.operation.summary} (\`${described.method} ${described.path}\`)${endOf(described.operation)} */\n` +
      `  ${nameOf(described)}: {\n    input: ${input(described)};\n    output: ${typeOf(output(described.operation))};\n  };`,
  );
  return `${notice}/** The codes of errors; they never change. */\nexport type ErrorCode = ${typeOf(codes)};\n\nexport interface Operations {\n${entries.join('\n')}\n}\n`;
}

/** Path, query and body as one object, as in GraphQL; the two scope parameters as one `scope`. */
function input({ method, operation: { operationId, parameters = [], requestBody } }: Described): string {
  const body = at(requestBody, 'content', 'application/json', 'schema');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  if (body !== undefined && inQuery.length > 0) throw new Error(`${operationId} has a body and a query: the client expects one of them`);
  if (body !== undefined && method === 'GET') throw new Error(`${operationId}: GET has no body`);
  // Without `scopeId`, `tenant` is a parameter like others.
  const isScoped = parameters.some(({ name }) => name === 'scopeId');
  const isPlain = ({ name, in: place }: Parameter) => place !== 'header' && !(isScoped && (name === 'scopeId' || name === 'tenant'));
  const plain = parameters.filter(isPlain);
  const properties = Object.fromEntries(plain.map(({ name, schema }) => [name, schema]));
  const required = plain.filter((parameter) => parameter.required).map(({ name }) => name);
  const tenant = isScoped ? parameters.find(({ name }) => name === 'tenant') : undefined;
  const scope = tenant && { type: 'object', properties: { tenant: tenant.schema, id: { type: 'string' } }, required: ['tenant', 'id'] };
  const own = {
    type: 'object',
    properties: { ...properties, ...(scope && { scope }) },
    required: [...required, ...(tenant?.required ? ['scope'] : [])],
  };
  const parts = [...(Object.keys(own.properties).length > 0 ? [own] : []), ...(body === undefined ? [] : [body])];
  return parts.length === 0 ? 'Record<never, never>' : parts.map((part) => typeOf(part, true)).join(' & ');
}

/** The `data` of the success response, or the whole body where it has no envelope. */
function output({ responses }: ApiOperation): Json | undefined {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const schema = at(success, 'content', 'application/json', 'schema');
  return at(schema, 'properties', 'data') ?? schema;
}

function at(value: unknown, ...names: readonly string[]): Json | undefined {
  const found = names.reduce<unknown>((inner, name) => (isJson(inner) ? inner[name] : undefined), value);
  return isJson(found) ? found : undefined;
}
