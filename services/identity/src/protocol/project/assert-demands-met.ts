import type { ProjectApp } from '../../domain/oauth/project-app.ts';
import { demandsOf, unmetDemand } from '../../sign-in/demands.ts';
import type { ProtocolContext } from '../context.ts';
import type { ProjectFlow } from '../flow.ts';
import { FlowRefusal } from '../refusal.ts';

/** There is no page of ours here that could ask for more: whoever has given too little is refused. */
export async function assertDemandsMet({ by }: Pick<ProjectFlow, 'by'>, app: ProjectApp, { deps, now }: ProtocolContext): Promise<void> {
  const level = { acr: by === 'second-factor' ? 'aal2' : 'aal1', authenticatedAtMs: now.getTime() };
  const unmet = unmetDemand(await demandsOf(app, deps), level, now);
  if (unmet !== undefined) throw new FlowRefusal('access_denied', `the app or its organization demands more: ${unmet}`);
}
