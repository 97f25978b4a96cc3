/** Who answers for what acts later, and by what (docs/decisions/016-vouchers.md). */
import type { Subject } from '@tessera/kernel/authorization';

/** The subject that acted. `appId` is the app that its token was for. */
export type Voucher = Subject & { readonly appId?: string };

/**
 * `left`: a person who acted in a session is no member any more. `ended`: the right, the key or the
 * app is gone.
 */
export type Standing = 'holds' | 'left' | 'ended';

/** What a person made in a session belongs to the organization, which is asked for this long. */
export const graceHours = 72;
/** So long before the end its Owners are told once more. */
export const reminderHours = 24;

const hourMs = 3_600_000;

/** `reminded`: it goes on, and the second mail is due. */
export type Step = 'none' | 'restored' | 'asked' | 'reminded' | 'stopped';
export type Grace = { readonly vouchedUntil: Date | undefined; readonly isReminded: boolean };

/** What follows for a webhook that is switched on. */
export function stepOf(standing: Standing, { vouchedUntil, isReminded }: Grace, now: Date): Step {
  if (standing === 'ended') return 'stopped';
  if (standing === 'holds') return vouchedUntil === undefined ? 'none' : 'restored';
  if (vouchedUntil === undefined) return 'asked';
  const leftMs = vouchedUntil.getTime() - now.getTime();
  if (leftMs <= 0) return 'stopped';
  return !isReminded && leftMs <= reminderHours * hourMs ? 'reminded' : 'none';
}

export function graceEnd(now: Date): Date {
  return new Date(now.getTime() + graceHours * hourMs);
}
