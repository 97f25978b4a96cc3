import { isBoundBrowser } from '../../ground/browser-binding.ts';
import { auditRefusal } from '../../ground/transact.ts';
import type { ProjectFlow } from '../../sign-in/flow.ts';
import type { ProtocolContext } from '../deps.ts';
import { errors } from '../errors.ts';

/**
 * The flow of this callback; it can be taken once. Without one there is no address to redirect to,
 * so the answer is an error page. A flow through a provider must end in the browser that began it,
 * so that a link cannot sign a person in as another one (RFC 6749 10.12). A mail may be opened in
 * another browser: there the app checks its own `state`.
 */
export async function takeFlow(context: ProtocolContext): Promise<ProjectFlow & { readonly state: string }> {
  const [state, ...more] = context.query.getAll('state');
  const flow = state === undefined || more.length > 0 ? undefined : await context.deps.projectFlows.take(state);
  const isHere =
    flow?.by === 'email' ||
    (flow?.by === 'second-factor' && flow.browser === undefined) ||
    (flow !== undefined && isBoundBrowser(context.request, flow.browser ?? '', context.deps.settings.appUrl));
  if (state !== undefined && flow !== undefined && isHere) return { ...flow, state };
  // No row for a state that was never given: such a request is free, and a row is kept for months.
  if (flow !== undefined) await auditRefusal(context, { operation: 'projectOauth', action: 'project-oauth.login', code: 'invalid_state' });
  throw errors.invalidState({ extensions: { field: 'state' } });
}
