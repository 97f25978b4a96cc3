import type { Redirect } from '../../ground/context.ts';
import type { ConfiguredProvider } from '../connections/provider.ts';
import type { ProtocolContext } from '../deps.ts';
import { defaultLanding, landWith, landWithCode } from '../domain/landing.ts';
import type { PlatformFlow } from '../flow.ts';
import { confirm } from './confirm.ts';
import { connect } from './connect.ts';
import { issueCode } from './issue-code.ts';
import { login } from './login.ts';
import { assertFresh, provenAtMs } from './proof-time.ts';
import { register } from './register.ts';
import { identityFrom, isBrowserOf, refuseSignIn, takeFlow } from './trip.ts';

/**
 * GET /api/auth/{provider}/callback: the authorization response (RFC 6749 4.1.2), the code
 * exchange, and the way back.
 */
export async function endPlatformSignIn(context: ProtocolContext, configured: ConfiguredProvider): Promise<Redirect> {
  const { frontendUrl } = context.deps.settings;
  const provider = configured.provider.name;
  const flow = await takeFlowOf(provider, context);
  // Another browser must not learn the landing of the flow.
  if (flow === undefined) return { location: landWith(defaultLanding(frontendUrl), { error: 'invalid_state' }) };
  try {
    const identity = await identityFrom(configured, 'platform', flow, context.query);
    const authenticatedAtMs = provenAtMs(identity, flow, context.now);
    if (flow.action === 'confirm') assertFresh(authenticatedAtMs, flow);
    const signedIn = await { login, register, connect, confirm }[flow.action](identity, flow, context);
    if (flow.action === 'connect') return { location: landWith(flow.landing, { connected: provider }) };
    const code = await issueCode({ ...signedIn, authenticatedAtMs }, flow, context);
    const outcome = flow.action === 'confirm' ? { confirmation: code } : { code };
    return { location: landWithCode(flow.landing, outcome, frontendUrl) };
  } catch (error) {
    const entry = { ...(flow.connecting ? { actorId: flow.connecting.userId } : {}), detail: { provider } };
    const refusal = { operation: 'platformOauth', action: `oauth.${flow.action}`, entry };
    const code = await refuseSignIn(context, { error, message: 'a sign-in failed', details: { provider }, refusalOf: () => refusal });
    return { location: landWith(flow.landing, { error: code }) };
  }
}

/** Its provider must be this one, and the browser the one that began it. */
function takeFlowOf(provider: string, context: ProtocolContext): Promise<(PlatformFlow & { readonly state: string }) | undefined> {
  return takeFlow(context, {
    flows: context.deps.platformFlows,
    faultOf: (flow) => {
      if (flow.provider !== provider) return 'provider';
      return isBrowserOf(flow, context) ? undefined : 'browser';
    },
    refusalOf: (reason) => ({ operation: 'platformOauth', action: 'oauth.callback', entry: { detail: { provider, reason } } }),
  });
}
