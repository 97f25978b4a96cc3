/**
 * What an app and its organization demand of a sign-in to the app: asked at authorize, at each
 * token request, for a device, and in the fragment flow. A token that was given is not asked again.
 */
import { ignoreUnknownMethod } from '@tessera/kernel/grpc';
import { parseScope } from '@tessera/kernel/scope';
import { emailProvider } from '../ground/domain/people.ts';
import type { ProjectApp } from '../ground/domain/project-app.ts';
import type { SignInDeps } from './deps.ts';
import type { SignedInSession } from './storage/sessions.ts';

export type Demands = {
  readonly requireSecondFactor: boolean;
  /** The organizations that demand it. */
  readonly demanding: readonly string[];
  /** How old a proof may be; null for any age. */
  readonly maxSessionAgeMinutes: number | null;
  readonly allowEmailCode: boolean;
};
export type UnmetDemand = 'connection' | 'second_factor' | 'session_age' | 'way_to_sign_in';
type DemandingApp = Pick<ProjectApp, 'scope' | 'requireSecondFactor' | 'allowEmailCode'>;

/**
 * The strictest of what the app, its organization and the organization demand that a person signs
 * in for.
 */
export async function demandsOf(
  { scope, requireSecondFactor, allowEmailCode }: DemandingApp,
  { tenancy }: Pick<SignInDeps, 'tenancy'>,
  customerId?: string,
): Promise<Demands> {
  const { organizationId } = parseScope(scope);
  const ids = [organizationId, customerId].filter((id) => id !== undefined);
  const policies = await Promise.all(
    ids.map((id) => ignoreUnknownMethod(tenancy.getSessionPolicy({ scope: { tenant: 'organization', id } }))),
  );
  const demanding = ids.filter(
    (id, index) => (requireSecondFactor && id === organizationId) || policies[index]?.requireSecondFactor === true,
  );
  const ages = policies.flatMap((policy) => policy?.maxSessionAgeMinutes ?? []);
  return {
    requireSecondFactor: requireSecondFactor || demanding.length > 0,
    demanding,
    allowEmailCode: allowEmailCode && policies.every((policy) => policy?.refusesEmailCode !== true),
    maxSessionAgeMinutes: ages.length === 0 ? null : Math.min(...ages),
  };
}

export type SignInLevel = {
  readonly acr: string | undefined;
  /** Undefined counts as long ago. */
  readonly authenticatedAtMs: number | undefined;
  /** The first is what the sign-in began with. */
  readonly amr?: readonly string[] | undefined;
  /** The organization whose provider has asked for a second factor. */
  readonly secondFactorIn?: string | undefined;
};

/** Undefined when the sign-in is what is demanded. */
export function unmetDemand(
  { requireSecondFactor, demanding, maxSessionAgeMinutes, allowEmailCode }: Demands,
  { acr, authenticatedAtMs = 0, amr, secondFactorIn }: SignInLevel,
  now: Date,
): UnmetDemand | undefined {
  if (!allowEmailCode && isByEmailCode(amr)) return 'way_to_sign_in';
  const isByProvider = secondFactorIn !== undefined && demanding.length > 0 && demanding.every((id) => id === secondFactorIn);
  if (requireSecondFactor && acr !== 'aal2' && !isByProvider) return 'second_factor';
  const isTooOld = maxSessionAgeMinutes !== null && now.getTime() - authenticatedAtMs > maxSessionAgeMinutes * 60_000;
  return isTooOld ? 'session_age' : undefined;
}

/** Codes of authenticator apps come after what the sign-in began with. */
function isByEmailCode([first]: readonly string[] = []): boolean {
  return first === 'otp';
}

/** Whether the session began with one of the providers that the app names, if it names some. */
export function isByEnabledProvider(
  session: Pick<SignedInSession, 'provider' | 'amr'>,
  { enabledProviders }: Pick<ProjectApp, 'enabledProviders'>,
): boolean {
  return enabledProviders.length === 0 || enabledProviders.includes(provenProvider(session) ?? '');
}

/**
 * A session by passkey names the person's primary method. No provider has vouched for it: the first
 * of `amr` is what the sign-in began with, the others were proven since.
 */
function provenProvider({ provider, amr: [first] }: Pick<SignedInSession, 'provider' | 'amr'>): string | null {
  return provider === emailProvider || first === 'fed' ? provider : null;
}
