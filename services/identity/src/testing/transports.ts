/** Calls an operation over either transport, so that a table of cases runs over both. */

import type { Operation } from '@tessera/kernel/operation';
import { buildSubgraph } from '@tessera/server/graphql';
import { type GraphQLField, getNamedType, isLeafType, isObjectType } from 'graphql';
import { restRequest } from '../../../../test/support/rest-request.ts';
import { graphql, operations } from '../app.ts';
import type { IdentityDeps } from '../deps.ts';
import type { Ask, TestService } from './service.ts';

export type Transport = 'rest' | 'graphql';
export type Outcome = {
  /** 'ok' or the error's code. */
  readonly code: string;
  /** REST only. */
  readonly status: number | undefined;
  readonly field: unknown;
  readonly key: unknown;
  readonly message: unknown;
  readonly data: ReturnType<typeof JSON.parse>;
};

const schema = buildSubgraph({ ...graphql, operations });

export function operationNamed(name: string): Operation<IdentityDeps> {
  const found = operations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
}

export function transportsOf(name: string): Transport[] {
  const { rest, graphql: bound } = operationNamed(name);
  return [...('method' in rest ? (['rest'] as const) : []), ...('field' in bound ? (['graphql'] as const) : [])];
}

export function call(service: TestService, transport: Transport, name: string, input: Input = {}, ask: Ask = {}): Promise<Outcome> {
  return transport === 'rest' ? callRest(service, name, input, ask) : callGraphql(service, name, input, ask);
}

type Input = Readonly<Record<string, unknown>>;

async function callRest(service: TestService, name: string, input: Input, ask: Ask): Promise<Outcome> {
  const operation = operationNamed(name);
  const { method, path, body: sent } = restRequest(operation, input);
  const { status, body } = await service.ask(method, path, sent === undefined ? ask : { ...ask, body: sent });
  const ok = status < 300;
  const data = 'download' in operation.rest ? body : body.data;
  const refusal = { code: ok ? 'ok' : body.code, status, field: body.extensions?.field };
  return { ...refusal, key: body.translationKey, message: body.error, data: ok ? data : undefined };
}

async function callGraphql(service: TestService, name: string, input: Input, ask: Ask): Promise<Outcome> {
  const { graphql: bound, kind } = operationNamed(name);
  if (!('field' in bound)) throw new Error(`${name} is not in GraphQL`);
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[bound.field];
  if (field === undefined) throw new Error(`there is no field ${bound.field}`);
  const takesInput = field.args.length > 0;
  const head = takesInput ? `($input: ${field.args[0]?.type})` : '';
  const document = `${kind} ${head} { ${bound.field}${takesInput ? '(input: $input)' : ''} ${selection(field, name === 'deleteMyAccounts' ? 3 : 0)} }`;
  const { body } = await service.graphql(document, takesInput ? { input } : {}, ask);
  const [error] = body.errors ?? [];
  if (error !== undefined) {
    const { code, field: faulty, translationKey } = error.extensions;
    return { code, status: undefined, field: faulty, key: translationKey, message: error.message, data: undefined };
  }
  const value = body.data[bound.field];
  const data = bound.items === undefined ? value : { ...value, items: value[bound.items] };
  return { code: 'ok', status: undefined, field: undefined, key: undefined, message: undefined, data };
}

/** Every field down to the fourth level, so that a resolver that fails shows. */
function selection(field: GraphQLField<unknown, unknown>, depth: number): string {
  const type = getNamedType(field.type);
  if (isLeafType(type) || !isObjectType(type)) return '';
  const inner = Object.values(type.getFields()).filter((each) => isLeafType(getNamedType(each.type)) || depth < 3);
  return `{ ${inner.map((each) => `${each.name} ${selection(each, depth + 1)}`).join(' ')} }`;
}
