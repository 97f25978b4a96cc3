/** What another person has changed while a form was open, and what becomes of it. */
export type Conflict<Values> = {
  /** The fields that they changed, to something else than what is typed. */
  readonly fields: readonly (keyof Values & string)[];
  readonly before: Values;
  readonly theirs: Values;
  readonly mine: Values;
};

export function conflictOf<Values extends object>(before: Values, theirs: Values, mine: Values): Conflict<Values> {
  const differs = (name: keyof Values, left: Values, right: Values) => JSON.stringify(left[name]) !== JSON.stringify(right[name]);
  const names = Object.keys(mine) as (keyof Values & string)[];
  const fields = names.filter((name) => differs(name, theirs, before) && differs(name, theirs, mine));
  return { fields, before, theirs, mine };
}

/**
 * The values to go on with. Theirs: all that they changed. Mine: what was typed here; fields that
 * were left alone here become theirs in both cases, so that nothing is lost.
 */
export function resolve<Values extends object>({ fields, before, theirs, mine }: Conflict<Values>, choice: 'theirs' | 'mine'): Values {
  const isTyped = (name: keyof Values) => JSON.stringify(mine[name]) !== JSON.stringify(before[name]);
  const taken = fields.filter((name) => choice === 'theirs' || !isTyped(name)).map((name) => [name, theirs[name]]);
  return { ...mine, ...Object.fromEntries(taken) };
}

/** A draft that was left: what was typed, on top of what the form showed then, and when (ms). */
export type Kept<Values> = { readonly values: Partial<Values>; readonly before: Partial<Values>; readonly at: number };

/**
 * A draft put on top of what stands now. Fields that were left alone show what stands now; a field
 * that was typed here and changed by others is a conflict. Undefined when nothing of it is left.
 */
export function restore<Values extends object>(
  { values, before, at }: Partial<Kept<Values>>,
  now: Values,
): { readonly values: Values; readonly at: number; readonly conflict: Conflict<Values> | undefined } | undefined {
  if (values === undefined || before === undefined || at === undefined) return undefined;
  const then = { ...now, ...before };
  const conflict = conflictOf(then, now, { ...then, ...values });
  const restored = resolve(conflict, 'mine');
  if (JSON.stringify(restored) === JSON.stringify(now)) return undefined;
  const fields = conflict.fields.filter((name) => JSON.stringify(restored[name]) !== JSON.stringify(now[name]));
  return { values: restored, at, conflict: fields.length === 0 ? undefined : { ...conflict, fields, mine: restored } };
}
