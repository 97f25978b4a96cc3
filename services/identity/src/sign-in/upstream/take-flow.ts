import { isBoundBrowser } from '../../ground/browser-binding.ts';
import { auditRefusal } from '../../ground/transact.ts';
import type { ProtocolContext } from '../deps.ts';
import type { PlatformFlow } from '../flow.ts';

/**
 * The flow of this callback; it can be taken once. Its state must be known and fresh, its provider
 * this one, and the browser the one that began it. Otherwise undefined, and the flow is over:
 * another browser must not learn its landing.
 */
export async function takeFlow(context: ProtocolContext, provider: string): Promise<(PlatformFlow & { state: string }) | undefined> {
  const [state, ...more] = context.query.getAll('state');
  const flow = state === undefined || more.length > 0 ? undefined : await context.deps.platformFlows.take(state);
  if (state !== undefined && flow?.provider === provider && isBoundBrowser(context.request, flow.browser, context.deps.settings.appUrl))
    return { ...flow, state };
  // No row for a state that was never given: such a request is free, and a row is kept for months.
  if (flow === undefined) return undefined;
  const reason = flow.provider === provider ? 'browser' : 'provider';
  await auditRefusal(context, {
    operation: 'platformOauth',
    action: 'oauth.callback',
    code: 'invalid_state',
    entry: { detail: { provider, reason } },
  });
  return undefined;
}
