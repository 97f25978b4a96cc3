import {
  identify,
  loadRelation,
  type OperationContext,
  type Relation,
  type RequestFacts,
  type ResponseEffects,
  type Row,
  type Runtime,
} from '@tessera/kernel/operation';
import DataLoader from 'dataloader';
import { type Budget, createBudget, type Limits, type Load } from './budget.ts';

export type GraphqlContext<Deps> = {
  readonly facts: RequestFacts;
  readonly effects: ResponseEffects;
  readonly runtime: Runtime<Deps>;
  /** The operation context of this request, without a scope. The token is verified once. */
  operationContext(): Promise<OperationContext<Deps>>;
  loader(name: string, load: Load): DataLoader<Row, unknown>;
  readonly budget: Budget;
};

export function createGraphqlContext<Deps>(
  runtime: Runtime<Deps>,
  facts: RequestFacts,
  effects: ResponseEffects,
  limits: Limits,
): GraphqlContext<Deps> {
  const budget = createBudget(limits);
  const loaders = new Map<string, DataLoader<Row, unknown>>();
  let identified: Promise<OperationContext<Deps>> | undefined;
  return {
    facts,
    effects,
    runtime,
    budget,
    operationContext: () => {
      identified ??= identify({ optional: 'nested fields decide for themselves' }, facts, runtime).then((actor) => ({
        deps: runtime.deps,
        actor,
        scope: undefined,
        request: facts,
        response: effects,
        now: runtime.clock(),
      }));
      return identified;
    },
    loader: (name, load) => {
      const known = loaders.get(name);
      if (known) return known;
      // DataLoader rejects an item for an Error instance; anything else is its value.
      const loader = new DataLoader<Row, unknown>((rows) => budget.draw(rows, load), { cache: false });
      loaders.set(name, loader);
      return loader;
    },
  };
}

export type FieldResolver<Deps> = (row: Row, args: Readonly<Record<string, unknown>>, context: GraphqlContext<Deps>) => unknown;

/** A field that is a relation. All rows at the same level of the response share one load. */
export function relationField<Deps>(name: string, relation: Relation<Deps>): FieldResolver<Deps> {
  return (row, _args, context) => {
    const loader = context.loader(name, async (rows) => loadRelation(relation, rows, await context.operationContext(), context.runtime));
    return loader.load(row);
  };
}

/** Loads all references to a federated type that one request makes, at once. */
export type EntityLoader<Deps> = (references: readonly Row[], context: OperationContext<Deps>) => Promise<readonly unknown[]>;

export function referenceResolver<Deps>(typeName: string, load: EntityLoader<Deps>) {
  return (reference: Row, context: GraphqlContext<Deps>): Promise<unknown> => {
    const loader = context.loader(`${typeName}.__resolveReference`, async (references) =>
      load(references, await context.operationContext()),
    );
    return loader.load(reference);
  };
}
