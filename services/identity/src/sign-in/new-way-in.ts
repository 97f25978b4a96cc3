/** A session for another program is a new way in (decision 014). */
import type { SignedInSession } from './storage/sessions.ts';

const freshMs = 10 * 60_000;

/**
 * Whether the browser's session may allow a program a session of its own. An organization's
 * provider does not show that it is the person, where they have ways of their own.
 */
export function isFreshForProgram({ authenticatedAt, amr }: Pick<SignedInSession, 'authenticatedAt' | 'amr'>, now: Date): boolean {
  return !amr.includes('org') && now.getTime() - Date.parse(authenticatedAt) <= freshMs;
}
