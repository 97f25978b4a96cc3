import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { measure } from './measure.ts';
import { isPlainPlan, type PlanNode } from './run-plan.ts';
import { createShaper, type Shaper } from './shape.ts';

/** A plan that needs no framework to be run. */
export type Plain = { readonly plan: PlanNode; readonly shape: Shaper; readonly fields: number };

type Asked = { readonly document: DocumentNode; readonly operation: OperationDefinitionNode };

/** The first run of a document is the framework's; from what it planned and what was asked follows whether the next ones are ours. */
export function plainOf(node: unknown, schema: GraphQLSchema, { document, operation }: Asked): Plain | undefined {
  if (operation.operation !== 'query' || !isPlainPlan(node)) return undefined;
  const shape = createShaper(schema, document, operation);
  return shape && { plan: node, shape, fields: measure(document, operation).fields };
}

/** Anybody may ask for a thousand fields in a new way each time: what is remembered is bounded by what it takes. */
export function createPlains() {
  return new LRUCache<string, Plain>({ max: 2_000, maxSize: 200_000, sizeCalculation: ({ fields }) => Math.max(1, fields) });
}
