import { authFields } from '../../generated/routes.ts';

/**
 * The number of attempts in a document. Each field counts, whatever its alias or the name of the
 * operation.
 */
export function countAttempts(rootCounts: ReadonlyMap<string, number>): number {
  let attempts = 0;
  for (const [field, count] of rootCounts) if (authFields.has(field)) attempts += count;
  return attempts;
}
