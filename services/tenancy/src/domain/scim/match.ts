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

/** How many comparisons the filter costs for one value at most. */
export function sizeOf(filter: Filter): number {
  if (filter.op === 'and' || filter.op === 'or') return filter.parts.reduce((sum, part) => sum + sizeOf(part), 0);
  return filter.op === 'not' || filter.op === 'any' ? sizeOf(filter.part) : 1;
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
  switch (op) {
    case 'eq':
      return one === other;
    case 'ne':
      return one !== other;
    case 'co':
      return one.includes(other);
    case 'sw':
      return one.startsWith(other);
    case 'ew':
      return one.endsWith(other);
    case 'gt':
      return one > other;
    case 'ge':
      return one >= other;
    case 'lt':
      return one < other;
    default:
      return one <= other;
  }
}
