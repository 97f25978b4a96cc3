import assert from 'node:assert/strict';
import { expect } from '@jest/globals';
import { readSdl } from '@tessera/server/graphql';
import { type FieldDefinitionNode, Kind, parse, type TypeNode } from 'graphql';
import { restRequest } from '../../../../test/support/rest-request.ts';
import { operations } from '../operations/index.ts';
import type { TestService } from './service.ts';

/** Calls an operation through REST, by its declaration, or through GraphQL, by its field. */
export const transports = ['rest', 'graphql'] as const;
export type Transport = (typeof transports)[number];
export type Answer = {
  readonly code: string | undefined;
  readonly status: number;
  readonly data: Record<string, unknown>;
  readonly field: unknown;
  /** The translation key of an error. */
  readonly key: unknown;
};
export type Input = Readonly<Record<string, unknown>>;

const fields = new Map<string, FieldDefinitionNode>(
  parse(readSdl(new URL('../../', import.meta.url))).definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION && ['Query', 'Mutation'].includes(definition.name.value)
      ? (definition.fields ?? []).map((field) => [field.name.value, field] as const)
      : [],
  ),
);

function operationNamed(name: string) {
  const found = operations.find((one) => one.name === name);
  if (!found) throw new Error(`there is no operation ${name}`);
  return found;
}

export function hasTransport(name: string, transport: Transport): boolean {
  return transport === 'rest' ? 'method' in operationNamed(name).rest : 'field' in operationNamed(name).graphql;
}

/** `selection` is the GraphQL selection; REST returns the whole record. */
export async function call(
  service: TestService,
  transport: Transport,
  name: string,
  input: Input,
  token: string | undefined,
  selection = 'id',
): Promise<Answer> {
  return transport === 'rest' ? callRest(service, name, input, token) : callGraphql(service, name, input, token, selection);
}

function headersOf(token: string | undefined) {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

async function callRest(service: TestService, name: string, input: Input, token: string | undefined): Promise<Answer> {
  const operation = operationNamed(name);
  const { rest } = operation;
  const { method, path, body: payload } = restRequest(operation, input);
  const answer = await service.app.inject({ method, url: path, headers: headersOf(token), ...(payload ? { payload } : {}) });
  const body = answer.json();
  const isExisting = 'orExisting' in rest && answer.statusCode === 200;
  if (body.success === true && !isExisting) expect(answer.statusCode).toBe('status' in rest ? rest.status : 200);
  return { code: body.code, status: answer.statusCode, data: body.data ?? {}, field: body.extensions?.field, key: body.translationKey };
}

function nameOfType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOfType(type.type);
}

async function callGraphql(
  service: TestService,
  name: string,
  input: Input,
  token: string | undefined,
  selection: string,
): Promise<Answer> {
  const { graphql, kind } = operationNamed(name);
  assert.ok('field' in graphql);
  const field = fields.get(graphql.field);
  const [argument] = field?.arguments ?? [];
  assert.ok(argument);
  const shown = graphql.items === undefined ? selection : `items: ${graphql.items} { ${selection} } totalCount hasNextPage`;
  const query = `${kind}($input: ${nameOfType(argument.type)}!) { answer: ${graphql.field}(input: $input) { ${shown} } }`;
  const answer = await service.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: headersOf(token),
    payload: { query, variables: { input } },
  });
  const body = answer.json();
  const [error] = body.errors ?? [];
  const { code, field: refused, translationKey } = error?.extensions ?? {};
  return { code, status: answer.statusCode, data: body.data?.answer ?? {}, field: refused, key: translationKey };
}
