/**
 * What one decision may cost. Conditions, metadata and what callers say of a resource are the
 * tenants' own, and one event loop decides for all tenants.
 */
export type Effort = { left: number };

/** Thrown out of a condition that would read more than is left. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';
}

/** Some 20 ms, far more than any condition that people write. */
const mostOfDecision = 2_000_000;
/** A condition may read so much though others have used up the rest: they can't take it away. */
const leastOfCondition = 2_000;

export function newEffort(): Effort {
  return { left: mostOfDecision };
}

/** Counts what a comparison reads: items of lists, keys, and texts by their length. */
export function spend(effort: Effort | undefined, steps: number): void {
  if (effort === undefined) return;
  effort.left -= steps;
  if (effort.left < 0) throw new TooCostly();
}

/** False for a condition that would cost too much: it is not met. */
export function holdsWithin(effort: Effort, holds: () => boolean): boolean {
  effort.left = Math.max(effort.left, leastOfCondition);
  try {
    return holds();
  } catch (error) {
    if (error instanceof TooCostly) return false;
    throw error;
  }
}

const known = new WeakMap<object, readonly string[]>();

/** `Object.keys`, once for each object: many keys cost as much to list as a condition may cost. */
export function keysOf(value: object): readonly string[] {
  const keys = known.get(value) ?? Object.keys(value);
  known.set(value, keys);
  return keys;
}
