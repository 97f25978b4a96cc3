import { type ConditionContext, type Json, parseCondition, readPath, referencedPath } from '@tessera/rules/condition';

/** One comparison of a condition, with the values that were compared. */
export type Comparison = {
  readonly operator: string;
  readonly path: string;
  /** Undefined: the path has no value. */
  readonly actual: Json | undefined;
  readonly expected: Json | undefined;
  readonly holds: boolean;
  /** It stands in the way of the condition: another value would change the answer. */
  readonly isUnmet: boolean;
  /** The paths that its two values come from. */
  readonly reads: readonly string[];
};
export type Trace = { readonly holds: boolean; readonly comparisons: readonly Comparison[] };

type Node = Readonly<Record<string, Json>>;

function isNode(value: Json | undefined): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value with its references replaced, as far as they have values. */
function resolve(value: Json, context: ConditionContext): Json | undefined {
  const path = referencedPath(value);
  if (path !== undefined) return readPath(context, path.split('.'));
  if (Array.isArray(value)) return value.map((item: Json) => resolve(item, context) ?? null);
  if (!isNode(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, context) ?? null]));
}

function pathsIn(value: Json): string[] {
  const path = referencedPath(value);
  if (path !== undefined) return [path];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

/** The parts that keep `node` from being `wanted`, when it is not. */
function walk(node: Json | undefined, context: ConditionContext, wanted: boolean, isDecisive: boolean): Comparison[] {
  if (!isNode(node)) return [];
  const holds = parseCondition(node).holds(context);
  const inTheWay = isDecisive && holds !== wanted;
  return Object.entries(node).flatMap(([name, operand]): Comparison[] => {
    if ((name === 'And' || name === 'Or') && Array.isArray(operand))
      return operand.flatMap((part: Json) => walk(part, context, wanted, inTheWay));
    if (name === 'Not') return walk(operand, context, !wanted, inTheWay);
    return isNode(operand) ? Object.entries(operand).map(([path, value]) => compare(name, path, value)) : [];
  });

  function compare(operator: string, path: string, value: Json): Comparison {
    const isTrue = parseCondition({ [operator]: { [path]: value } }).holds(context);
    return {
      operator,
      path,
      holds: isTrue,
      isUnmet: inTheWay && isTrue !== wanted,
      actual: readPath(context, path.split('.')),
      expected: resolve(value, context),
      reads: [path, ...pathsIn(value)],
    };
  }
}

/**
 * Every comparison of a condition in its order. For explanations only: a decision evaluates the
 * compiled predicate.
 */
export function traceCondition(condition: Json, context: ConditionContext): Trace {
  return { holds: parseCondition(condition).holds(context), comparisons: walk(condition, context, true, true) };
}
