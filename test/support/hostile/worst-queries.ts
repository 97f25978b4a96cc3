/** The most expensive queries of a root field that the gateway still permits, from the schema. */
import { readFileSync } from 'node:fs';
import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLField,
  GraphQLObjectType,
  getNamedType,
  isRequiredArgument,
  Kind,
  parse,
} from 'graphql';
import { exceededByCost, exceededByDocument, exceededByOperation } from '../../../services/gateway/src/graphql/bounds.ts';
import { costOf } from '../../../services/gateway/src/graphql/cost.ts';
import { measureDocument, measureOperation } from '../../../services/gateway/src/graphql/document-size.ts';

const supergraph = readFileSync(new URL('../../../services/gateway/generated/supergraph.graphql', import.meta.url), 'utf8');
const schema = buildASTSchema(parse(supergraph), { assumeValid: true });

/** A field of the query, with the fields below it that return objects. */
type Node = { readonly name: string; readonly type: GraphQLObjectType; readonly leaves: readonly string[]; readonly children: Node[] };
type Field = GraphQLField<unknown, unknown>;
type Leaves = 'id' | 'all';

/** More refusals in a row than this, and the level is taken as full. */
const mostRefusals = 20;

function isPermitted(document: DocumentNode): boolean {
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) return false;
  const exceeded =
    exceededByDocument(measureDocument(document)) ??
    exceededByOperation(measureOperation(document, operation)) ??
    exceededByCost(costOf(schema, document, operation));
  return exceeded === undefined;
}

function nodeOf({ name, type }: Field, wanted: Leaves): Node | undefined {
  const named = getNamedType(type);
  if (!(named instanceof GraphQLObjectType)) return undefined;
  const scalars = Object.values(named.getFields()).filter((field) => !(getNamedType(field.type) instanceof GraphQLObjectType));
  const leaves = scalars.filter(({ args }) => !args.some(isRequiredArgument)).map((field) => field.name);
  const chosen = wanted === 'all' || !leaves.includes('id') ? leaves : ['id'];
  return { name, type: named, leaves: chosen.length === 0 ? ['__typename'] : chosen, children: [] };
}

function print({ name, leaves, children }: Node, argument = ''): string {
  return `${name}${argument} { ${leaves.join(' ')} ${children.map((child) => print(child)).join(' ')} }`;
}

function documentOf(root: Node, field: Field, times: number): string {
  const [input] = field.args;
  const selection = print(root, input ? '(input: $input)' : '');
  const fields = times === 1 ? selection : Array.from({ length: times }, (_, n) => `a${n}: ${selection}`).join(' ');
  return input ? `query($input: ${input.type}) { ${fields} }` : `{ ${fields} }`;
}

/** Adds every field below a level that is still permitted, and returns the level below. */
function addLevel(level: readonly Node[], wanted: Leaves, write: () => string): readonly Node[] {
  const added: Node[] = [];
  let refusals = 0;
  for (const parent of level)
    for (const field of Object.values(parent.type.getFields())) {
      const child = refusals > mostRefusals ? undefined : nodeOf(field, wanted);
      if (child === undefined || field.args.some(isRequiredArgument)) continue;
      parent.children.push(child);
      if (isPermitted(parse(write()))) {
        added.push(child);
        refusals = 0;
      } else {
        parent.children.pop();
        refusals += 1;
      }
    }
  return added;
}

/**
 * One query for each depth: all fields down to it that are still permitted. With all columns, with
 * the ids alone, which go deeper, and ten times over by aliases.
 */
export function worstQueriesOf(rootField: string): readonly string[] {
  const field = schema.getQueryType()?.getFields()[rootField];
  if (field === undefined) throw new Error(`the schema has no query ${rootField}`);
  const documents = new Set<string>();
  for (const wanted of ['all', 'id'] as const) {
    const root = nodeOf(field, wanted);
    if (root === undefined) continue;
    for (let level: readonly Node[] = [root]; level.length > 0; level = addLevel(level, wanted, () => documentOf(root, field, 1)))
      for (const times of [1, 10]) {
        const document = documentOf(root, field, times);
        if (isPermitted(parse(document))) documents.add(document);
      }
  }
  return [...documents];
}
