import type { Redirect } from '../../ground/context.ts';
import { auditRefusal } from '../../ground/transact.ts';
import type { ConfiguredProvider } from '../connections/provider.ts';
import type { ProtocolContext } from '../deps.ts';
import { defaultLanding, landWith, landWithCode } from '../domain/landing.ts';
import { confirm } from './confirm.ts';
import { connect } from './connect.ts';
import { issueCode } from './issue-code.ts';
import { login } from './login.ts';
import { assertFresh, provenAtMs } from './proof-time.ts';
import { flowErrorOf } from './refusal.ts';
import { register } from './register.ts';
import { takeFlow } from './take-flow.ts';

/**
 * GET /api/auth/{provider}/callback: the authorization response (RFC 6749 4.1.2), the code
 * exchange, and the way back.
 */
export async function endPlatformSignIn(context: ProtocolContext, { provider, callbacks }: ConfiguredProvider): Promise<Redirect> {
  const flow = await takeFlow(context, provider.name);
  if (flow === undefined) return { location: landWith(defaultLanding(context.deps.settings.frontendUrl), { error: 'invalid_state' }) };
  try {
    const { state, codeVerifier } = flow;
    const identity = await provider.identify(context.query, { redirectUri: callbacks.platform, state, codeVerifier });
    const authenticatedAtMs = provenAtMs(identity, flow, context.now);
    if (flow.action === 'confirm') assertFresh(authenticatedAtMs, flow);
    const signedIn = await { login, register, connect, confirm }[flow.action](identity, flow, context);
    if (flow.action === 'connect') return { location: landWith(flow.landing, { connected: provider.name }) };
    const code = await issueCode({ ...signedIn, authenticatedAtMs }, flow, context);
    const outcome = flow.action === 'confirm' ? { confirmation: code } : { code };
    return { location: landWithCode(flow.landing, outcome, context.deps.settings.frontendUrl) };
  } catch (error) {
    const code = flowErrorOf(error);
    if (code === 'server_error') context.deps.logger.error({ err: error, provider: provider.name }, 'a sign-in failed');
    await auditRefusal(context, {
      operation: 'platformOauth',
      action: `oauth.${flow.action}`,
      code,
      entry: { ...(flow.connecting ? { actorId: flow.connecting.userId } : {}), detail: { provider: provider.name } },
    });
    return { location: landWith(flow.landing, { error: code }) };
  }
}
