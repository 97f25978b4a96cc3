import type { ProvenIdentity } from '../connections/provider.ts';
import type { PlatformFlow } from '../flow.ts';
import { FlowRefusal } from './refusal.ts';

/** Between the clocks of the provider's servers, and for answers that take long. */
const toleranceMs = 60_000;

type Told = Pick<ProvenIdentity, 'proofAgeSeconds'>;

/**
 * When the person proved who they are: as the provider says, at the moment of its answer when it
 * says nothing. A new sign-in that was demanded cannot be older than the demand.
 */
export function provenAtMs({ proofAgeSeconds = 0 }: Told, { freshSinceMs }: Pick<PlatformFlow, 'freshSinceMs'>, now: Date): number {
  const provenMs = now.getTime() - proofAgeSeconds * 1_000;
  const isFresh = freshSinceMs !== undefined && provenMs >= freshSinceMs - toleranceMs;
  return isFresh ? Math.max(provenMs, freshSinceMs) : provenMs;
}

/** A confirmation is worth what the new sign-in is: one from before confirms nothing. */
export function assertFresh(provenMs: number, { freshSinceMs }: Pick<PlatformFlow, 'freshSinceMs'>): void {
  if (freshSinceMs !== undefined && provenMs < freshSinceMs)
    throw new FlowRefusal('not_fresh', 'the provider has approved without asking the person again');
}

/** An organization's provider that was asked for a new sign-in must say when it was. */
export function assertSaysWhen({ proofAgeSeconds }: Told): void {
  if (proofAgeSeconds === undefined) throw new FlowRefusal('not_fresh', 'the provider does not say when the person signed in');
}
