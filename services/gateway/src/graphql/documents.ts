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
import { countTries } from '../limits/auth-fields.ts';
import { bounds, brokenBound, brokenByWriting, tooLong } from './bounds.ts';
import { type Measure, measure, measureWriting } from './measure.ts';
import type { PassThrough } from './pass-through.ts';

/** A document that may be executed, with all that can be known of it before its variables. */
export type Ready = {
  readonly kind: 'ready';
  readonly key: string;
  /** With this operation alone. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The one service that answers the document as it is, if one does. */
  readonly service: string | undefined;
  readonly tries: number;
  readonly takesPictures: boolean;
};
export type InputFault = Pick<GraphQLError, 'message' | 'locations'>;
export type Refused = { readonly kind: 'refused'; readonly fault: AppError | readonly InputFault[]; readonly tries: number };
export type Prepared = Ready | Refused;

export type Documents = { prepare(source: string, operationName: string | undefined): Prepared };

export type DocumentOptions = { readonly schema: GraphQLSchema; readonly passThrough: PassThrough; readonly hasIntrospection: boolean };

/** A document takes some seventy times its text when it is parsed. */
const cacheCharacters = 2_000_000;
const pictureFields = ['uploadMyUserPicture', 'uploadUserPicture'];

/** Reads documents against one schema, and remembers what it found, faults included, within bounds. */
export function createDocuments(options: DocumentOptions): Documents {
  const known = new LRUCache<string, Prepared>({ max: 5_000, maxSize: cacheCharacters, sizeCalculation: (_, key) => key.length + 100 });
  return {
    prepare: (source, operationName) => {
      const fault = tooLong(source);
      if (fault !== undefined) return { kind: 'refused', fault, tries: 0 };
      const cacheKey = keyOf(source, operationName);
      const found = known.get(cacheKey);
      if (found !== undefined) return found;
      const prepared = read(source, operationName, options);
      known.set(cacheKey, prepared);
      return prepared;
    },
  };
}

/** Two requests that ask for different things never share a key: what one is refused for would be remembered of the other. */
function keyOf(source: string, operationName: string | undefined): string {
  return JSON.stringify([operationName, source]);
}

function read(source: string, operationName: string | undefined, { schema, passThrough, hasIntrospection }: DocumentOptions): Prepared {
  const document = parsed(source);
  if (document instanceof GraphQLError) return refusedFor([document], 0);
  const operation = operationOf(document, operationName);
  if (operation instanceof GraphQLError) return refusedFor([operation], 0);
  const measured = measure(document, operation);
  const tries = operation.operation === 'mutation' ? countTries(measured.rootCounts) : 0;
  // Every operation of the document must be within bounds before it is worth validating.
  const broken = brokenByWriting(measureWriting(document)) ?? brokenBoundOf(document, operation, measured);
  if (broken !== undefined) return { kind: 'refused', fault: broken, tries };
  const faults = validate(schema, document, hasIntrospection ? specifiedRules : withoutIntrospection, { maxErrors: 10 });
  if (faults.length > 0) return refusedFor(faults, tries);
  return {
    kind: 'ready',
    key: createHash('sha256').update(keyOf(source, operationName)).digest('base64'),
    document: withOnly(operation, document),
    operation,
    // Where a service's root is stricter than the graph's, only a plan can answer a name beside an error.
    service: measured.rootCounts.has('__typename') ? undefined : passThrough(document),
    tries,
    takesPictures: pictureFields.some((field) => measured.rootCounts.has(field)),
  };
}

/** Without the documents that the errors point into: what is remembered of a refusal must be small. */
function refusedFor(faults: readonly GraphQLError[], tries: number): Refused {
  return {
    kind: 'refused',
    fault: faults.map(({ message, locations }) => ({ message, locations })),
    tries,
  };
}

/** The operation and the fragments: without others beside it, nobody has to be told its name. */
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

function brokenBoundOf(document: DocumentNode, chosen: OperationDefinitionNode, measured: Measure): AppError | undefined {
  for (const operation of operationsOf(document)) {
    const broken = brokenBound(operation === chosen ? measured : measure(document, operation));
    if (broken !== undefined) return broken;
  }
  return undefined;
}
