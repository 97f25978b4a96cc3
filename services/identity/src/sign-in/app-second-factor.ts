/** A sign-in to an app whose person has a second factor: it waits for it, then goes on. */

import { deferSignIn, isSecondFactorDue } from './deferred.ts';
import type { SignInDeps } from './deps.ts';
import type { ProjectFlow } from './flow.ts';
import { confirmedKinds } from './storage/second-factors.ts';
import { FlowRefusal } from './upstream/refusal.ts';

type Waiting = Extract<ProjectFlow, { by: 'second-factor' }>;
type Person = { readonly userId: string; readonly methodId: string };

const sealName = 'deferred flow';

/**
 * The page that asks for the factor; undefined for a person without one. Refused when the way to
 * sign in was removed meanwhile.
 */
export async function deferForApp(flow: ProjectFlow, person: Person, deps: SignInDeps, now: Date): Promise<string | undefined> {
  const factors = await confirmedKinds(deps.database, person.userId);
  if (flow.by === 'second-factor' || !isSecondFactorDue(factors)) return undefined;
  const { clientId, redirectUri, clientState, by } = flow;
  const target = { clientId, redirectUri, ...(clientState === undefined ? {} : { clientState }) };
  const from = by === 'email' ? { provider: 'email' } : { provider: flow.provider, browser: flow.browser };
  const waiting: Waiting = { ...target, ...from, ...person, by: 'second-factor' };
  const sealed = deps.factorSecrets.seal(sealName, JSON.stringify(waiting)).secret;
  const amr = by === 'email' ? (['otp'] as const) : (['fed'] as const);
  const due = await deps.database.transaction((tx) => deferSignIn(tx, { ...person, factors, amr, flow: sealed }, now));
  if (due === undefined) throw new FlowRefusal('access_denied', 'the way to sign in was removed meanwhile');
  // In the fragment, which no server and no log sees.
  const fragment = new URLSearchParams({ token: due.token, methods: due.methods.join(',') });
  return `${deps.settings.frontendUrl}/auth/second-factor#${fragment}`;
}

/** Where the browser goes once the factor was right. */
export async function continueForApp(sealed: Buffer, { projectFlows, factorSecrets, settings }: SignInDeps): Promise<string> {
  // Only `deferForApp` can seal a value, so it has the type that was written.
  const waiting = JSON.parse(factorSecrets.open(sealName, { secret: sealed, sealedWith: '' })) as Waiting;
  const state = await projectFlows.remember(waiting);
  return `${settings.appUrl}/api/auth/project/callback?${new URLSearchParams({ state })}`;
}
