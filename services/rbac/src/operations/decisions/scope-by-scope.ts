import type { Scope } from '@tessera/kernel/scope';

/** A scope that is not in memory costs a query, and one request must not take all connections. */
const scopesAtOnce = 4;

/** Answers in the order of the checks: the checks of one scope together, a few scopes at a time. */
export async function scopeByScope<Check extends { readonly scope?: Scope | undefined }, Answer>(
  explainScope: (checks: readonly Check[]) => Promise<Answer[]>,
  checks: readonly Check[],
): Promise<Answer[]> {
  const answers: Answer[] = new Array(checks.length);
  const scopes = Map.groupBy(checks.entries(), ([, { scope }]) => `${scope?.tenant} ${scope?.id}`).values();
  const worker = async (): Promise<void> => {
    for (const places of scopes) {
      const ofScope = await explainScope(places.map(([, check]) => check));
      for (const [index, answer] of ofScope.entries()) answers[places[index]?.[0] ?? index] = answer;
    }
  };
  await Promise.all(Array.from({ length: scopesAtOnce }, worker));
  return answers;
}
