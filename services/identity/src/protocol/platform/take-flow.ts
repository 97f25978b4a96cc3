import { isMarked } from '../../sign-in/browser-mark.ts';
import type { ProtocolContext } from '../context.ts';
import type { PlatformFlow } from '../flow.ts';
import { noteRefusal } from '../transact.ts';

/**
 * The flow that this callback belongs to, once: its state is known and fresh, it went to this provider, and the browser is the one that
 * began it. Otherwise nothing, and the flow is over: where it would have ended is none of this browser's business.
 */
export async function takeFlow(context: ProtocolContext, provider: string): Promise<(PlatformFlow & { state: string }) | undefined> {
  const [state, ...more] = context.query.getAll('state');
  const flow = state === undefined || more.length > 0 ? undefined : await context.deps.oauth.platformFlows.take(state);
  if (state !== undefined && flow?.provider === provider && isMarked(context.request, flow.browser, context.deps.settings.appUrl))
    return { ...flow, state };
  const reason = flow === undefined ? 'state' : flow.provider === provider ? 'browser' : 'provider';
  await noteRefusal(context, {
    operation: 'platformOauth',
    action: 'oauth.callback',
    code: 'invalid_state',
    entry: { detail: { provider, reason } },
  });
  return undefined;
}
