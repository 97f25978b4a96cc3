import { errors } from '../../errors.ts';
import { isMarked } from '../../sign-in/browser-mark.ts';
import type { ProtocolContext } from '../context.ts';
import type { ProjectFlow } from '../flow.ts';
import { noteRefusal } from '../transact.ts';

/**
 * The flow that this callback belongs to, once. Without one there is no address that we may send anybody to: an error page. Through a
 * provider it ends in the browser that began it, so that nobody is signed in as somebody else by a link (RFC 6749 10.12). Mail is read
 * elsewhere: there the app's own `state` tells it whether it asked.
 */
export async function takeFlow(context: ProtocolContext): Promise<ProjectFlow & { readonly state: string }> {
  const [state, ...more] = context.query.getAll('state');
  const flow = state === undefined || more.length > 0 ? undefined : await context.deps.oauth.projectFlows.take(state);
  const isHere = flow?.by === 'email' || (flow !== undefined && isMarked(context.request, flow.browser, context.deps.settings.appUrl));
  if (state !== undefined && flow !== undefined && isHere) return { ...flow, state };
  await noteRefusal(context, { operation: 'projectOauth', action: 'project-oauth.login', code: 'invalid_state' });
  throw errors.invalidState({ extensions: { field: 'state' } });
}
