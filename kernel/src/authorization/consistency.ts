/** What a write answers, and what a question may show so that it is answered from no older state. */
export const CONSISTENCY_TOKEN_HEADER = 'x-consistency-token';

/** Several writes of one request: whoever shows this demands each of them. */
export function joinConsistencyTokens(known: string | undefined, token: string): string {
  return known === undefined ? token : `${known}.${token}`;
}

/** The token of a write that changed what rbac has heard of, but has not versioned: it demands what is known from now on. */
export function momentToken(now: Date): string {
  return Buffer.from(`at ${now.getTime()}`, 'utf8').toString('base64url');
}
