/** A write returns this header. A read that sends it back sees that write or a later state. */
export const CONSISTENCY_TOKEN_HEADER = 'x-consistency-token';

export function joinConsistencyTokens(known: string | undefined, token: string): string {
  return known === undefined ? token : `${known}.${token}`;
}

/** For a write that rbac has no version of: a read with it sees all that rbac knows now. */
export function momentToken(now: Date): string {
  return Buffer.from(`at ${now.getTime()}`, 'utf8').toString('base64url');
}
