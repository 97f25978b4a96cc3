/**
 * generated/operations.graphql of every service: the root fields and their inputs, from the
 * declarations. Types and enumerations are written by hand in schema.graphql.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deprecationText, Id, isCreating, isVersioned, type Operation, Timestamp } from '@tessera/kernel/operation';
import { ScopeSchema } from '@tessera/kernel/scope';
import { sharedSdl } from '@tessera/server/graphql';
import { type DocumentNode, Kind, parse } from 'graphql';
import { databaseServices } from '../services.ts';
import { accessText, sentence } from './operation-text.ts';
import { operationsOf } from './references.ts';
import type { Step } from './step.ts';

type Schema = {
  readonly type?: string;
  readonly description?: string;
  readonly graphqlType?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};
type GraphqlOperation = Operation<never> & { readonly graphql: { readonly field: string; readonly type: string } };

/** What the scalar or input says by its name. */
const plainDescriptions = new Set([Id, Timestamp, ScopeSchema].map((schema) => (schema as Schema).description));
const scalars = { string: 'String', integer: 'Int', number: 'Float', boolean: 'Boolean' } as const;

function described(indent: string, description = ''): string {
  if (description === '' || plainDescriptions.has(description)) return '';
  return `${indent}${JSON.stringify(sentence(description))}\n`;
}

/** The schema without null, and whether null was one of its values. */
function withoutNull(schema: Schema): { readonly inner: Schema; readonly isNullable: boolean } {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null');
  if (schema.anyOf === undefined || others === undefined || others.length === schema.anyOf.length)
    return { inner: schema, isNullable: false };
  const [only] = others;
  const { description = only?.description } = schema;
  const inner = others.length === 1 && only !== undefined ? only : { ...schema, anyOf: others };
  return { inner: description === undefined ? inner : { ...inner, description }, isNullable: true };
}

/** Enumerations of the schema, by their values. */
function enumsOf({ definitions }: DocumentNode): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const node of definitions) {
    if (node.kind !== Kind.ENUM_TYPE_DEFINITION) continue;
    const key = keyOf((node.values ?? []).map(({ name }) => name.value));
    names.set(key, [...(names.get(key) ?? []), node.name.value]);
  }
  return names;
}
function keyOf(values: readonly unknown[]): string {
  return [...values].sort().join(' ');
}

/** Relations are a matter of REST: in GraphQL they are fields. */
function propertiesOf(schema: Schema) {
  return Object.entries(schema.properties ?? {}).filter(([property]) => property !== 'relations');
}

/** Writes the inputs of one subgraph; nested ones follow the input that names them first. */
class Inputs {
  readonly #enums: ReadonlyMap<string, readonly string[]>;
  readonly #known: ReadonlySet<string>;
  readonly #texts = new Map<string, string>();

  constructor(sdl: string) {
    const document = parse(sdl);
    this.#enums = enumsOf(document);
    const inputs = document.definitions.filter((node) => node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION);
    this.#known = new Set(inputs.map(({ name }) => name.value));
  }

  get text(): string {
    return [...this.#texts.values()].join('\n\n');
  }

  /** `scopes` are the tenants that a scope may name, `more` is written after the fields. */
  add(name: string, schema: Schema, { scopes = '', more = '' } = {}): void {
    if (this.#known.has(name)) return;
    const earlier = this.#texts.get(name);
    // Holds the place, so that the inputs inside come after this one.
    this.#texts.set(name, earlier ?? '');
    const lines = propertiesOf(schema).map(([property, own]) => {
      const { inner, isNullable } = withoutNull(own);
      const isRequired = (schema.required ?? []).includes(property) && !isNullable;
      const isPlainScope = property === 'scope' && inner.description === (ScopeSchema as Schema).description;
      return `${described('  ', isPlainScope ? scopes : inner.description)}  ${property}: ${this.#typeOf(inner, `${name}.${property}`)}${isRequired ? '!' : ''}\n`;
    });
    const text = `input ${name} {\n${lines.join('')}${more}}`;
    if (earlier !== undefined && earlier !== '' && earlier !== text) throw new Error(`two schemas are called ${name}, and they differ`);
    this.#texts.set(name, text);
  }

  #typeOf(schema: Schema, path: string): string {
    const { graphqlType, properties, type } = schema;
    if (graphqlType !== undefined) {
      if (properties !== undefined && graphqlType !== 'JSON') this.add(graphqlType, schema);
      return graphqlType;
    }
    if (schema.enum !== undefined) return this.#enumOf(schema.enum, path);
    if (type === 'array') {
      const { inner, isNullable } = withoutNull(schema.items ?? {});
      return `[${this.#typeOf(inner, `${path}[]`)}${isNullable ? '' : '!'}]`;
    }
    if (properties !== undefined) throw new Error(`${path}: give the schema a name for GraphQL, { graphqlType: '…Input' }`);
    if (schema.pattern === (Id as Schema).pattern || schema.format === 'uuid') return 'ID';
    return type !== undefined && type in scalars ? scalars[type as keyof typeof scalars] : 'JSON';
  }

  #enumOf(values: readonly unknown[], path: string): string {
    const [name, another] = this.#enums.get(keyOf(values)) ?? [];
    if (name !== undefined && another === undefined) return name;
    const fault = name === undefined ? 'no enumeration has' : `${name} and ${another} have`;
    throw new Error(`${path}: in schema.graphql ${fault} the values ${values.join(', ')}; write one, or { graphqlType: 'String' } here`);
  }
}

const ifMatch = '  "The version that the caller has seen: `updatedAt`, or `version` where there is one."\n  ifMatch: String\n';

const idempotencyKey =
  '  "A UUID of your own: with the same one, the same request happens once and is answered alike for 24 hours."\n  idempotencyKey: String\n';

function inputName(field: string): string {
  return `${field.charAt(0).toUpperCase()}${field.slice(1)}Input`;
}

function rootField({ graphql: { field, type }, input, summary, access, output, deprecated }: GraphqlOperation): string {
  const { required = [] } = input as Schema;
  const argument = propertiesOf(input).length === 0 ? '' : `(input: ${inputName(field)}${required.length > 0 ? '!' : ''})`;
  const end = deprecated === undefined ? '' : ` @deprecated(reason: ${JSON.stringify(deprecationText(deprecated))})`;
  const answer = withoutNull(output).isNullable ? type : `${type}!`;
  return `  ${JSON.stringify(`${sentence(summary)} ${accessText(access)}`)}\n  ${field}${argument}: ${answer}${end}\n`;
}

/** `account, organization or accountProject`. */
function listed(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');
}

function isInGraphql(operation: Operation<never>): operation is GraphqlOperation {
  return 'field' in operation.graphql;
}

/** `ScopeInput`, which all share, is in server/src/graphql/shared.graphql. */
function assertNoInputs(sdl: string): void {
  const kinds: readonly string[] = [Kind.INPUT_OBJECT_TYPE_DEFINITION, Kind.INPUT_OBJECT_TYPE_EXTENSION];
  const names = parse(sdl).definitions.flatMap((node) => ('name' in node && kinds.includes(node.kind) ? [node.name?.value ?? ''] : []));
  if (names.length > 0)
    throw new Error(`schema.graphql has the input ${names.join(', ')}: inputs are generated; give its schema { graphqlType: '…' }`);
}

/** The root fields of these operations and their inputs. `sdl` has the types that they name. */
export function graphqlOf(operations: readonly Operation<never>[], sdl: string): string {
  assertNoInputs(sdl);
  const inputs = new Inputs(`${sharedSdl}\n${sdl}`);
  const own = operations.filter(isInGraphql);
  for (const operation of own) {
    const { graphql, input, scopes } = operation;
    if (propertiesOf(input).length === 0) continue;
    const more = isVersioned(operation) ? ifMatch : isCreating(operation) ? idempotencyKey : '';
    inputs.add(inputName(graphql.field), input, { scopes: scopes === 'none' ? '' : `Its tenant: ${listed(scopes)}`, more });
  }
  const rootOf = (name: string, kind: Operation<never>['kind']) => {
    const fields = own.filter((operation) => operation.kind === kind).map(rootField);
    return fields.length === 0 ? [] : [`type ${name} {\n${fields.join('')}}`];
  };
  return [
    '# Written by `npm run generate` from the declarations of the operations.',
    ...rootOf('Query', 'query'),
    ...rootOf('Mutation', 'mutation'),
    `${inputs.text}\n`,
  ].join('\n\n');
}

/** Both parts of a service's schema, the generated one as it is now. */
export async function subgraphOf(root: string, service: string): Promise<{ readonly types: string; readonly operations: string }> {
  const types = await readFile(join(root, 'services', service, 'schema.graphql'), 'utf8');
  return { types, operations: graphqlOf(await operationsOf(root, service), types) };
}

export const graphqlOperations: Step = {
  name: 'operations in GraphQL',
  make: (root) =>
    Promise.all(
      databaseServices.map(async (service) => ({
        path: `services/${service}/generated/operations.graphql`,
        content: (await subgraphOf(root, service)).operations,
      })),
    ),
};
