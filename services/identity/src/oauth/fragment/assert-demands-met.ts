import type { ProjectApp } from '../../ground/domain/project-app.ts';
import type { ProvenIdentity } from '../../sign-in/connections/provider.ts';
import { demandsOf, unmetDemand } from '../../sign-in/demands.ts';
import type { ProjectFlow } from '../../sign-in/flow.ts';
import { FlowRefusal } from '../../sign-in/upstream/refusal.ts';
import type { ProtocolContext } from '../deps.ts';

/** No page of ours could ask for more here: a sign-in that has given too little is refused. */
export async function assertDemandsMet(
  { by, proofAgeSeconds = 0 }: Pick<ProjectFlow, 'by'> & Pick<ProvenIdentity, 'proofAgeSeconds'>,
  app: ProjectApp,
  { deps, now }: ProtocolContext,
): Promise<void> {
  const level = { acr: by === 'second-factor' ? 'aal2' : 'aal1', authenticatedAtMs: now.getTime() - proofAgeSeconds * 1_000 };
  const unmet = unmetDemand(await demandsOf(app, deps), level, now);
  if (unmet !== undefined) throw new FlowRefusal('access_denied', `the app or its organization demands more: ${unmet}`);
}
