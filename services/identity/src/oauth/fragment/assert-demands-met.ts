import type { ProjectApp } from '../../ground/domain/project-app.ts';
import type { ProvenIdentity } from '../../sign-in/connections/provider.ts';
import { demandsOf, unmetDemand } from '../../sign-in/demands.ts';
import { requiredConnection } from '../../sign-in/enforcement.ts';
import type { ProjectFlow } from '../../sign-in/flow.ts';
import { FlowRefusal } from '../../sign-in/upstream/refusal.ts';
import type { ProtocolContext } from '../deps.ts';

type Proof = Pick<ProjectFlow, 'by'> & Pick<ProvenIdentity, 'proofAgeSeconds'> & { readonly userId: string | undefined };

/** No page of ours could ask for more here: a sign-in that has given too little is refused. */
export async function assertDemandsMet(
  { by, userId, proofAgeSeconds = 0 }: Proof,
  app: ProjectApp,
  { deps, now }: ProtocolContext,
): Promise<void> {
  const isSecond = by === 'second-factor';
  const level = { acr: isSecond ? 'aal2' : 'aal1', authenticatedAtMs: now.getTime() - proofAgeSeconds * 1_000 };
  const unmet = unmetDemand(await demandsOf(app, deps), level, now);
  if (unmet !== undefined) throw new FlowRefusal('access_denied', `the app or its organization demands more: ${unmet}`);
  if (userId === undefined) return;
  // By a provider of the installation or a mailbox: never by a connection.
  const coming = { userId, amr: isSecond ? (['mfa'] as const) : [], connectionId: null, authenticatedAtMs: level.authenticatedAtMs };
  if ((await requiredConnection(coming, { scope: app.scope }, deps)) !== undefined)
    throw new FlowRefusal('access_denied', 'the organization lets its members in by its own identity provider only');
}
