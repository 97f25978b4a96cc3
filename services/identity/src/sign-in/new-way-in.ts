/** A session for another program is a new way in (decision 014). */
import type { SignedInSession } from './storage/sessions.ts';

const freshMs = 10 * 60_000;

/** Whether the browser's session may allow a program a session of its own. */
export function isFreshForProgram({ authenticatedAt }: Pick<SignedInSession, 'authenticatedAt'>, now: Date): boolean {
  return now.getTime() - Date.parse(authenticatedAt) <= freshMs;
}
