import { errors } from '../../errors.ts';
import type { ProtocolContext } from '../context.ts';
import type { ProjectFlow } from '../flow.ts';
import { noteRefusal } from '../transact.ts';

/**
 * The flow that this callback belongs to, once. Without one there is no address that we may send anybody to: an error page. It is not
 * bound to a browser, since mail is read elsewhere; the app's own `state` tells it whether it asked (RFC 6749 10.12).
 */
export async function takeFlow(context: ProtocolContext): Promise<ProjectFlow & { readonly state: string }> {
  const [state, ...more] = context.query.getAll('state');
  const flow = state === undefined || more.length > 0 ? undefined : await context.deps.oauth.projectFlows.take(state);
  if (state !== undefined && flow !== undefined) return { ...flow, state };
  await noteRefusal(context, { operation: 'projectOauth', action: 'project-oauth.login', code: 'invalid_state' });
  throw errors.invalidState({ extensions: { field: 'state' } });
}
