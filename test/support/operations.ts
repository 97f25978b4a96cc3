/** All operations as they are declared, and ways to call any of them over either transport. */
import { readFileSync } from 'node:fs';
import type { Operation } from '@tessera/kernel/operation';
import { buildASTSchema, type GraphQLOutputType, getNamedType, isCompositeType, parse } from 'graphql';
import { operations as identity } from '../../services/identity/src/operations/index.ts';
import { operations as keys } from '../../services/keys/src/operations/index.ts';
import { operations as rbac } from '../../services/rbac/src/operations/index.ts';
import { operations as tenancy } from '../../services/tenancy/src/operations/index.ts';
import type { Answer, Client } from './client.ts';
import { restRequest } from './rest-request.ts';

/** An operation without its service's dependencies: only its declaration counts here. */
export type Declared = Pick<
  Operation<never>,
  | 'name'
  | 'kind'
  | 'scopes'
  | 'limit'
  | 'verification'
  | 'freshness'
  | 'assurance'
  | 'rest'
  | 'graphql'
  | 'audit'
  | 'example'
  | 'leaves'
  | 'changesDocuments'
  | 'versioned'
> & {
  readonly service: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly access: object & { readonly permission?: string; readonly tokens?: readonly string[] };
};

function declared(service: string, list: readonly object[]): readonly Declared[] {
  return list.map((operation) => ({ ...(operation as Declared), service }));
}

export const allOperations: readonly Declared[] = [
  ...declared('identity', identity),
  ...declared('tenancy', tenancy),
  ...declared('rbac', rbac),
  ...declared('keys', keys),
];

type Json = Readonly<Record<string, unknown>>;

/** Calls an operation over REST. */
export function callRest(client: Client, operation: Declared, input: Json, token?: string): Promise<Answer> {
  const { method, path, body } = restRequest(operation, input);
  return client.call(method, path, { token, ...(body === undefined ? {} : { body }) });
}

const supergraph = readFileSync(new URL('../../services/gateway/generated/supergraph.graphql', import.meta.url), 'utf8');
const schema = buildASTSchema(parse(supergraph), { assumeValid: true });

function fieldOf({ graphql, kind }: Declared) {
  if (!('field' in graphql)) throw new Error('no GraphQL binding');
  const field = (kind === 'query' ? schema.getQueryType() : schema.getMutationType())?.getFields()[graphql.field];
  if (!field) throw new Error(`the supergraph has no field ${graphql.field}`);
  return field;
}

export function outputTypeOf(operation: Declared): GraphQLOutputType {
  return fieldOf(operation).type;
}

/** The document that calls an operation's root field and asks for `selection`. */
export function documentOf(operation: Declared, selection: string): string {
  const { kind } = operation;
  const { name, type, args } = fieldOf(operation);
  const input = args.find((argument) => argument.name === 'input');
  const chosen = isCompositeType(getNamedType(type)) ? ` { ${selection} }` : '';
  return input ? `${kind}($input: ${input.type}) { ${name}(input: $input)${chosen} }` : `${kind} { ${name}${chosen} }`;
}

/** Calls an operation over GraphQL; the answer is the gateway's, errors and all. */
export function callGraphql(client: Client, operation: Declared, input: Json, token?: string): Promise<Answer> {
  return callGraphqlSelecting(client, operation, input, '__typename', token);
}

export function callGraphqlSelecting(client: Client, operation: Declared, input: Json, selection: string, token?: string): Promise<Answer> {
  return client.graphql(documentOf(operation, selection), { input }, token);
}

export type Refusal = { readonly status: number | undefined; readonly code: string | undefined; readonly key: string | undefined };

/** How a REST answer refuses. */
export function restRefusal({ status, body }: Answer): Refusal {
  return { status, code: body?.code, key: body?.translationKey };
}

/** How a GraphQL answer refuses; its status is 200 whatever the code. */
export function graphqlRefusal({ status, body }: Answer): Refusal {
  const { code, translationKey: key } = body?.errors?.[0]?.extensions ?? {};
  return { status, code, key };
}
