/** Whether one value of a list fulfils the filter of a PATCH path. */
import type { Filter } from './filter.ts';
import type { Json } from './resource.ts';

export function matches(value: Json, filter: Filter): boolean {
  switch (filter.op) {
    case 'and':
      return filter.parts.every((part) => matches(value, part));
    case 'or':
      return filter.parts.some((part) => matches(value, part));
    case 'not':
      return !matches(value, filter.part);
    case 'any':
      return false;
    case 'pr':
      return partOf(value, filter) !== undefined;
    default:
      return compare(partOf(value, filter), filter);
  }
}

type Leaf = Extract<Filter, { readonly target: unknown; readonly value: unknown }>;

function partOf(value: Json, { target }: Pick<Leaf, 'target'>): unknown {
  return target.sub === undefined ? undefined : value[target.sub.name];
}

function compare(part: unknown, { op, target, value }: Leaf): boolean {
  if (value === null || part === undefined) {
    const isEqual = value === null && part === undefined;
    return op === 'ne' ? !isEqual : op === 'eq' && isEqual;
  }
  if (typeof part === 'boolean') return (part === value) === (op === 'eq');
  const isExact = target.sub?.caseExact === true;
  const [one, other] = [part, value].map((text) => (isExact ? String(text) : String(text).toLowerCase()));
  if (one === undefined || other === undefined) return false;
  const results = {
    eq: one === other,
    ne: one !== other,
    co: one.includes(other),
    sw: one.startsWith(other),
    ew: one.endsWith(other),
    gt: one > other,
    ge: one >= other,
    lt: one < other,
    le: one <= other,
  };
  return results[op];
}
