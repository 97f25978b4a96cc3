import type { Redirect } from '../../ground/context.ts';
import { type ConfiguredProvider, type ProvenIdentity, ProviderFailure, ProviderRefusal } from '../connections/provider.ts';
import type { ProtocolContext } from '../deps.ts';
import { defaultLanding, landWith, landWithCode } from '../domain/landing.ts';
import type { PlatformFlow } from '../flow.ts';
import type { SignedIn } from '../provider-identity.ts';
import { confirm } from './confirm.ts';
import { connect } from './connect.ts';
import { issueCode } from './issue-code.ts';
import { login } from './login.ts';
import { assertFresh, assertSaysWhen, provenAtMs } from './proof-time.ts';
import { actionOf, FlowRefusal } from './refusal.ts';
import { register } from './register.ts';
import { identityFrom, isBrowserOf, refuseSignIn, takeFlow } from './trip.ts';

/**
 * GET /api/auth/{provider}/callback: the authorization response (RFC 6749 4.1.2), the code
 * exchange, and the way back.
 */
export function endPlatformSignIn(context: ProtocolContext, configured: ConfiguredProvider): Promise<Redirect> {
  return endSignIn(context, configured, { login, register, connect, confirm });
}

type Step = (identity: ProvenIdentity, flow: PlatformFlow, context: ProtocolContext) => Promise<SignedIn>;

/** What an organization's provider adds. */
export type OfOrganization = {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** Refuses before the code is spent. */
  assertOpen(): Promise<void>;
};

/** The same at any identity provider; `steps` say what its answer is worth. */
export async function endSignIn(
  context: ProtocolContext,
  configured: ConfiguredProvider,
  steps: Readonly<Record<PlatformFlow['action'], Step>>,
  ofOrganization?: OfOrganization,
): Promise<Redirect> {
  const { frontendUrl } = context.deps.settings;
  const provider = configured.provider.name;
  const flow = await takeFlowOf(provider, context);
  // Another browser must not learn the landing of the flow.
  if (flow === undefined) return { location: landWith(defaultLanding(frontendUrl), { error: 'invalid_state' }) };
  try {
    await ofOrganization?.assertOpen();
    const identity = await identityFrom(context, configured, 'platform', flow);
    const authenticatedAtMs = provenAtMs(identity, flow, context.now);
    if (ofOrganization !== undefined && flow.freshSinceMs !== undefined) assertSaysWhen(identity);
    if (flow.action === 'confirm') assertFresh(authenticatedAtMs, flow);
    const signedIn = await steps[flow.action](identity, flow, context);
    if (flow.action === 'connect') return { location: landWith(flow.landing, { connected: provider }) };
    const { providerId: subject, acr, sid } = identity;
    const upstream = ofOrganization && { subject, sid, sinceMs: context.now.getTime() };
    const code = await issueCode({ ...signedIn, authenticatedAtMs, connection: ofOrganization?.name, acr, upstream }, flow, context);
    const outcome = flow.action === 'confirm' ? { confirmation: code } : { code };
    return { location: landWithCode(flow.landing, outcome, frontendUrl) };
  } catch (error) {
    const entry = {
      ...(flow.connecting ? { actorId: flow.connecting.userId } : {}),
      detail: { provider, ...(ofOrganization === undefined ? {} : reasonOf(error)) },
      ...(ofOrganization === undefined ? {} : inLogOf(ofOrganization)),
    };
    const refusal = { operation: 'platformOauth', ...actionOf[flow.action], entry };
    const code = await refuseSignIn(context, { error, message: 'a sign-in failed', details: { provider }, refusalOf: () => refusal });
    // The page leads on: after a sign-in to where the account is connected, or here once more.
    const leadsOn = code === 'link_needed' || code === 'temporarily_unavailable';
    const connection = leadsOn && ofOrganization !== undefined ? { connection: ofOrganization.id } : {};
    return { location: landWith(flow.landing, { error: code, ...connection }) };
  }
}

function inLogOf({ id, organizationId }: OfOrganization) {
  return { targetType: 'Connection', targetId: id, scope: { tenant: 'organization', id: organizationId } as const };
}

/** Of a refusal alone: the organization reads it, and an inner error may say too much. */
function reasonOf(error: unknown): { readonly reason?: string } {
  const isRefusal = error instanceof FlowRefusal || error instanceof ProviderRefusal || error instanceof ProviderFailure;
  return isRefusal ? { reason: error.message.slice(0, 300) } : {};
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
