import type { Scope } from '@tessera/kernel/scope';
import type { Subject } from '../domain/subject.ts';

/** A scope that is not in memory costs a query, and one request must not take all connections. */
const scopesAtOnce = 4;
/** Subjects of one scope that are read at the same moment: they share one query. */
const subjectsAtOnce = 50;

type Asked = { readonly scope?: Scope | undefined; readonly subject: Subject };
type Place<Check> = readonly [index: number, check: Check];

/** Calls `work` for each item, so many at a time. */
async function eachOf<Item>(items: Iterable<Item>, atOnce: number, work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/**
 * Answers in the order of the checks: those of one subject in one scope together, a few scopes at a
 * time.
 */
export async function scopeByScope<Check extends Asked, Answer>(
  explainScope: (checks: readonly Check[]) => Promise<Answer[]>,
  checks: readonly Check[],
): Promise<Answer[]> {
  const answers: Answer[] = new Array(checks.length);
  const answerSubject = async (places: readonly Place<Check>[]): Promise<void> => {
    const found = await explainScope(places.map(([, check]) => check));
    for (const [index, answer] of found.entries()) answers[places[index]?.[0] ?? index] = answer;
  };
  const byScope = Map.groupBy(checks.entries(), ([, { scope }]) => `${scope?.tenant} ${scope?.id}`).values();
  await eachOf(byScope, scopesAtOnce, (places) => {
    const bySubject = Map.groupBy(
      places,
      ([, { subject }]) => `${subject.type} ${subject.userId} ${subject.roleId} ${subject.actsInGrants}`,
    ).values();
    return eachOf(bySubject, subjectsAtOnce, answerSubject);
  });
  return answers;
}
