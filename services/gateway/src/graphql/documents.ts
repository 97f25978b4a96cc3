import { createHash } from 'node:crypto';
import type { AppError } from '@tessera/kernel/errors';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { documentFields } from '../../generated/routes.ts';
import { countAttempts } from '../limits/attempts.ts';
import { bounds, exceededByCost, exceededByDocument, exceededByOperation, tooLong } from './bounds.ts';
import { costOf } from './cost.ts';
import { measureDocument, measureOperation, type OperationSize } from './document-size.ts';
import type { PassThrough } from './pass-through.ts';

/** A valid document, with all that is known of it without its variables. */
export type Ready = {
  readonly kind: 'ready';
  readonly key: string;
  /** Without its other operations. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The service that can answer the whole document, if one can. */
  readonly service: string | undefined;
  readonly attempts: number;
  readonly takesPictures: boolean;
  readonly changesDocuments: boolean;
};
export type InputFault = Pick<GraphQLError, 'message' | 'locations'>;
export type Refused = { readonly kind: 'refused'; readonly fault: AppError | readonly InputFault[]; readonly attempts: number };
export type Prepared = Ready | Refused;

export type Documents = { prepare(source: string, operationName: string | undefined): Prepared };

export type DocumentOptions = { readonly schema: GraphQLSchema; readonly passThrough: PassThrough; readonly hasIntrospection: boolean };

/** A parsed document takes about seventy times the memory of its text. */
const cacheCharacters = 2_000_000;
const pictureFields = ['uploadMyUserPicture', 'uploadUserPicture'];

/**
 * Parses and validates documents against one schema. The cache also holds refusals, and is bounded.
 */
export function createDocuments(options: DocumentOptions): Documents {
  const known = new LRUCache<string, Prepared>({ max: 5_000, maxSize: cacheCharacters, sizeCalculation: (_, key) => key.length + 100 });
  return {
    prepare: (source, operationName) => {
      const fault = tooLong(source);
      if (fault !== undefined) return { kind: 'refused', fault, attempts: 0 };
      const cacheKey = keyOf(source, operationName);
      const found = known.get(cacheKey);
      if (found !== undefined) return found;
      const prepared = read(source, operationName, options);
      known.set(cacheKey, prepared);
      return prepared;
    },
  };
}

/** JSON keeps name and document apart: two different requests never share a cache entry. */
function keyOf(source: string, operationName: string | undefined): string {
  return JSON.stringify([operationName, source]);
}

function read(source: string, operationName: string | undefined, { schema, passThrough, hasIntrospection }: DocumentOptions): Prepared {
  const document = parsed(source);
  if (document instanceof GraphQLError) return refusedFor([document], 0);
  const operation = operationOf(document, operationName);
  if (operation instanceof GraphQLError) return refusedFor([operation], 0);
  const measured = measureOperation(document, operation);
  const attempts = operation.operation === 'mutation' ? countAttempts(measured.rootCounts) : 0;
  // Validation is expensive: every operation of the document must be within bounds first.
  const exceeded = exceededByDocument(measureDocument(document)) ?? exceededByAny(document, operation, measured);
  if (exceeded !== undefined) return { kind: 'refused', fault: exceeded, attempts };
  const faults = validate(schema, document, hasIntrospection ? specifiedRules : withoutIntrospection, { maxErrors: 10 });
  if (faults.length > 0) return refusedFor(faults, attempts);
  const expensive = exceededByCost(costOf(schema, document, operation));
  if (expensive !== undefined) return { kind: 'refused', fault: expensive, attempts };
  return {
    kind: 'ready',
    key: createHash('sha256').update(keyOf(source, operationName)).digest('base64'),
    document: withOnly(operation, document),
    operation,
    // A service's root may be non-null where the graph's is not: only a plan returns __typename
    // beside an error.
    service: measured.rootCounts.has('__typename') ? undefined : passThrough(document),
    attempts,
    takesPictures: pictureFields.some((field) => measured.rootCounts.has(field)),
    changesDocuments: operation.operation === 'mutation' && [...measured.rootCounts.keys()].some((field) => documentFields.has(field)),
  };
}

/** Without the nodes of the errors: they would keep the whole document in the cache. */
function refusedFor(faults: readonly GraphQLError[], attempts: number): Refused {
  return {
    kind: 'refused',
    fault: faults.map(({ message, locations }) => ({ message, locations })),
    attempts,
  };
}

/** The operation and the fragments. A document with one operation needs no operationName. */
function withOnly(operation: OperationDefinitionNode, document: DocumentNode): DocumentNode {
  return {
    ...document,
    definitions: document.definitions.filter((definition) => definition === operation || definition.kind !== Kind.OPERATION_DEFINITION),
  };
}

const withoutIntrospection = [...specifiedRules, NoSchemaIntrospectionCustomRule];

function parsed(source: string): DocumentNode | GraphQLError {
  try {
    return parse(source, { maxTokens: bounds.tokens });
  } catch (error) {
    return error instanceof GraphQLError ? error : new GraphQLError('The document could not be read.');
  }
}

function operationsOf(document: DocumentNode): readonly OperationDefinitionNode[] {
  return document.definitions.flatMap((definition) => (definition.kind === Kind.OPERATION_DEFINITION ? [definition] : []));
}

function operationOf(document: DocumentNode, operationName: string | undefined): OperationDefinitionNode | GraphQLError {
  const operations = operationsOf(document);
  const named = operationName === undefined ? operations : operations.filter(({ name }) => name?.value === operationName);
  const [operation, ...others] = named;
  if (operation === undefined)
    return new GraphQLError(operationName === undefined ? 'The document has no operation.' : 'The document has no operation of that name.');
  if (others.length > 0) return new GraphQLError('Say with operationName which operation to execute.');
  if (operation.operation === 'subscription') return new GraphQLError('There are no subscriptions here.', { nodes: [operation] });
  return operation;
}

function exceededByAny(document: DocumentNode, chosen: OperationDefinitionNode, measured: OperationSize): AppError | undefined {
  for (const operation of operationsOf(document)) {
    const exceeded = exceededByOperation(operation === chosen ? measured : measureOperation(document, operation));
    if (exceeded !== undefined) return exceeded;
  }
  return undefined;
}
