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
