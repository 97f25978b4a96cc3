/** To a provider and back: what a sign-in to the platform and one to an app have in common. */
import type { AuditEntry } from '@tessera/kernel/operation';
import { bindBrowser, isBoundBrowser } from '../../ground/browser-binding.ts';
import type { Redirect } from '../../ground/context.ts';
import { isConnection } from '../../ground/domain/connection.ts';
import { newOpaqueToken } from '../../ground/tokens/opaque-token.ts';
import { auditRefusal, transact, type Unit } from '../../ground/transact.ts';
import type { ProviderIdentity } from '../connections/profiles.ts';
import type { ConfiguredProvider, ProvenIdentity } from '../connections/provider.ts';
import type { ProtocolContext } from '../deps.ts';
import type { FlowStore } from '../flow.ts';
import { findOrLink, hasAnother, isTaken, retryIfTaken, type SignedIn } from '../provider-identity.ts';
import { notePlatformUse } from '../storage/platform-connections.ts';
import { type FlowError, FlowRefusal, flowErrorOf } from './refusal.ts';

/** The two flows. Each has an address of its own at which a browser comes back. */
type Kind = keyof ConfiguredProvider['callbacks'];

/** What a flow remembers for the way back. */
export type Trip = { readonly provider: string; readonly browser: string; readonly codeVerifier: string };

type Departure = {
  readonly kind: Kind;
  /** How old the sign-in at the provider may be. */
  readonly maxAgeSeconds?: number | undefined;
  readonly loginHint?: string;
  /** Keeps the flow, and returns its state. */
  readonly remember: (trip: Trip) => Promise<string>;
};

/** The authorization request (RFC 6749 4.1.1, RFC 7636 4.3), bound to this browser. */
export async function goToProvider(
  { deps, request, response }: ProtocolContext,
  { provider, callbacks }: ConfiguredProvider,
  { kind, maxAgeSeconds, loginHint, remember }: Departure,
): Promise<Redirect> {
  const { platformFlows, codes, settings } = deps;
  const browser = bindBrowser(request, response, settings.appUrl, platformFlows.seconds + codes.seconds);
  const codeVerifier = newOpaqueToken();
  const state = await remember({ provider: provider.name, browser, codeVerifier });
  const attempt = { redirectUri: callbacks[kind], state, codeVerifier, ...(loginHint === undefined ? {} : { loginHint }) };
  return {
    location: await (maxAgeSeconds === undefined ? provider.authorizationUrl(attempt) : provider.authorizationUrl(attempt, maxAgeSeconds)),
  };
}

/** Who the provider says has signed in: the authorization response (RFC 6749 4.1.2). */
export async function identityFrom(
  { deps, query, now }: ProtocolContext,
  { provider, callbacks }: ConfiguredProvider,
  kind: Kind,
  { state, codeVerifier }: Pick<Trip, 'codeVerifier'> & { readonly state: string },
): Promise<ProvenIdentity> {
  const identity = await provider.identify(query, { redirectUri: callbacks[kind], state, codeVerifier });
  // An organization's is noted with what came of it.
  if (!isConnection(provider.name)) await deps.database.transaction((tx) => notePlatformUse(tx, provider.name, now));
  return identity;
}

export function isBrowserOf({ browser }: Pick<Trip, 'browser'>, { request, deps }: ProtocolContext): boolean {
  return isBoundBrowser(request, browser, deps.settings.appUrl);
}

type Refusal = { readonly operation: string; readonly action: string; readonly entry?: AuditEntry };
type Arrival<Flow> = {
  readonly flows: FlowStore<Flow>;
  /** Why this request may not finish the flow; undefined when it may. */
  readonly faultOf: (flow: Flow) => string | undefined;
  readonly refusalOf: (fault: string) => Refusal;
};

/**
 * The flow of a callback; it can be taken once. Undefined when its state is unknown, and when this
 * request may not finish it: then it is over, too.
 */
export async function takeFlow<Flow extends object>(
  context: ProtocolContext,
  { flows, faultOf, refusalOf }: Arrival<Flow>,
): Promise<(Flow & { readonly state: string }) | undefined> {
  const [state, ...more] = context.query.getAll('state');
  const flow = state === undefined || more.length > 0 ? undefined : await flows.take(state);
  // No row for a state that was never given: such a request is free, and a row is kept for months.
  if (state === undefined || flow === undefined) return undefined;
  const fault = faultOf(flow);
  if (fault === undefined) return { ...flow, state };
  await auditRefusal(context, { ...refusalOf(fault), code: 'invalid_state' });
  return undefined;
}

/**
 * The person of an identity: found by it, or linked by an address that both sides have verified.
 * `decide` runs in the same transaction, and gets undefined for a new person.
 */
export async function findPersonOf<Result extends SignedIn | undefined>(
  identity: ProviderIdentity,
  operation: string,
  context: ProtocolContext,
  decide: (signedIn: SignedIn | undefined, unit: Unit) => Result,
): Promise<Result> {
  try {
    const { result } = await retryIfTaken(() =>
      transact(context, operation, async (unit) => decide(await findOrLink(unit, identity, context), unit)),
    );
    if (result?.how === 'linked') context.deps.mailer.poke();
    return result;
  } catch (error) {
    throw refusalOfTaken(error);
  }
}

/** A parallel request has given the identity, or one of the same provider, to a person. */
export function refusalOfTaken(error: unknown): unknown {
  if (isTaken(error)) return new FlowRefusal('identity_taken');
  return hasAnother(error) ? new FlowRefusal('method_exists') : error;
}

type Failure = {
  readonly error: unknown;
  /** For the log, when it is an error that no step expects. */
  readonly message: string;
  readonly details: object;
  readonly refusalOf: (code: FlowError) => Refusal;
};

/** The code of an error, for the browser. The audit log gets the reason. */
export async function refuseSignIn(context: ProtocolContext, { error, message, details, refusalOf }: Failure): Promise<FlowError> {
  const code = flowErrorOf(error);
  if (code === 'server_error') context.deps.logger.error({ err: error, ...details }, message);
  await auditRefusal(context, { ...refusalOf(code), code });
  return code;
}
