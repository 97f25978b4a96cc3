import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind, parse, type SelectionSetNode, validate } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';

export type Prepared = CompiledQuery | { readonly faults: readonly GraphQLError[] };

export type Documents = { prepare(query: string, operationName: string | undefined): Prepared };

/** A compiled field takes 1 to 2 kB, so large documents must not fill the heap. */
const mostFields = 100_000;
const mostDocuments = 1_000;

type Known = { readonly prepared: Prepared; readonly fields: number };

export function createDocuments(schema: GraphQLSchema, maxSize = mostFields): Documents {
  const documents = new LRUCache<string, Known>({
    max: mostDocuments,
    maxSize,
    sizeCalculation: ({ fields }, key) => fields + Math.ceil(key.length / charactersPerField),
  });
  return {
    prepare(query, operationName) {
      const key = JSON.stringify([operationName, query]);
      const known = documents.get(key);
      if (known !== undefined) return known.prepared;
      const made = read(schema, query, operationName);
      documents.set(key, made);
      return made.prepared;
    },
  };
}

/** The text itself also counts: this many characters weigh as much as one field. */
const charactersPerField = 500;

function read(schema: GraphQLSchema, query: string, operationName: string | undefined): Known {
  const document = parsed(query);
  if (document instanceof GraphQLError) return { prepared: { faults: [document] }, fields: 0 };
  const faults = validate(schema, document);
  if (faults.length > 0) return { prepared: { faults }, fields: fieldsOf(document) };
  const compiled = compileQuery(schema, document, operationName);
  const prepared = isCompiledQuery(compiled) ? compiled : { faults: compiled.errors?.map(faultOf) ?? [] };
  return { prepared, fields: fieldsOf(document) };
}

function parsed(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query, { maxTokens: 20_000, noLocation: true });
  } catch (error) {
    return faultOf(error);
  }
}

function faultOf(error: unknown): GraphQLError {
  return error instanceof GraphQLError ? error : new GraphQLError('The document could not be read.');
}

/** How many fields are compiled: a fragment counts wherever it is spread. */
export function fieldsOf({ definitions }: DocumentNode): number {
  const fragments = new Map(definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])));
  const known = new Map<string, number>();
  const ofFragment = (name: string): number => {
    // A fragment inside itself counts as nothing; validation refuses it.
    const count = known.get(name);
    if (count !== undefined) return count;
    known.set(name, 0);
    const counted = ofSet(fragments.get(name)?.selectionSet);
    known.set(name, counted);
    return counted;
  };
  const ofSet = (set: SelectionSetNode | undefined): number => {
    let sum = 0;
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) sum += ofFragment(selection.name.value);
      else sum += (selection.kind === Kind.FIELD ? 1 : 0) + ofSet(selection.selectionSet);
    }
    return Math.min(sum, mostFields);
  };
  return definitions.reduce((sum, node) => (node.kind === Kind.OPERATION_DEFINITION ? sum + ofSet(node.selectionSet) : sum), 0);
}
