/**
 * What an app and its organization demand of a sign-in to the app: asked at authorize, at each
 * token request, for a device, and in the fragment flow. A token that was given is not asked again.
 */
import { parseScope } from '@tessera/kernel/scope';
import type { ProjectApp } from '../ground/domain/project-app.ts';
import { ignoreUnknownMethod } from '../ground/peers/unknown-method.ts';
import type { SignInDeps } from './deps.ts';

export type Demands = {
  readonly requireSecondFactor: boolean;
  /** How old a proof may be; null for any age. */
  readonly maxSessionAgeMinutes: number | null;
};
export type UnmetDemand = 'second_factor' | 'session_age';
type DemandingApp = Pick<ProjectApp, 'scope' | 'requireSecondFactor'>;

/** The stricter of what the app and its organization demand. */
export async function demandsOf({ scope, requireSecondFactor }: DemandingApp, { tenancy }: Pick<SignInDeps, 'tenancy'>): Promise<Demands> {
  const { tenant, id } = scope;
  if (parseScope(scope).organizationId === undefined) return { requireSecondFactor, maxSessionAgeMinutes: null };
  const policy = await ignoreUnknownMethod(tenancy.getSessionPolicy({ scope: { tenant, id } }));
  return {
    requireSecondFactor: requireSecondFactor || policy?.requireSecondFactor === true,
    maxSessionAgeMinutes: policy?.maxSessionAgeMinutes ?? null,
  };
}

export type SignInLevel = {
  readonly acr: string | undefined;
  /** Undefined counts as long ago. */
  readonly authenticatedAtMs: number | undefined;
};

/** Undefined when the sign-in is what is demanded. */
export function unmetDemand(
  { requireSecondFactor, maxSessionAgeMinutes }: Demands,
  { acr, authenticatedAtMs = 0 }: SignInLevel,
  now: Date,
): UnmetDemand | undefined {
  if (requireSecondFactor && acr !== 'aal2') return 'second_factor';
  const isTooOld = maxSessionAgeMinutes !== null && now.getTime() - authenticatedAtMs > maxSessionAgeMinutes * 60_000;
  return isTooOld ? 'session_age' : undefined;
}
