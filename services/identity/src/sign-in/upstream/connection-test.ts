/**
 * A test of an organization's connection: the round trip of a sign-in, without a session at its
 * end. Its state, nonce and request are its own, so that its answer is of no sign-in.
 */
import { isId, newId } from '@tessera/kernel/ids';
import type { Transaction } from '@tessera/kernel/postgres';
import type { Redirect } from '../../ground/context.ts';
import { providerOfConnection } from '../../ground/domain/connection.ts';
import type { Cause, TestResult } from '../../ground/domain/connection-test.ts';
import { parameter } from '../../ground/parameters.ts';
import { digest } from '../../ground/tokens/digest.ts';
import { transact } from '../../ground/transact.ts';
import { causeInWords } from '../connections/cause.ts';
import { type ConfiguredProvider, ProviderFailure, ProviderRefusal } from '../connections/provider.ts';
import type { ProtocolContext, SignInDeps } from '../deps.ts';
import { defaultLanding, landWith } from '../domain/landing.ts';
import { errors } from '../errors.ts';
import { type ConnectionTestFlow, type ConnectionTestStart, testStartSeconds } from '../flow.ts';
import { isOpenHere } from '../set-up.ts';
import { finishTest, insertTest, noteTested, openTest } from '../storage/connection-tests.ts';
import { type Connection, findConnection, lockConnection } from '../storage/connections.ts';
import { configure } from './configure.ts';
import { openSecret } from './open-secret.ts';
import { isFromOwnPage } from './require-owner.ts';
import { describeAnswer, describeToStranger } from './test-result.ts';
import { goToProvider, isBrowserOf, takeFlow } from './trip.ts';

const operation = 'connectionTest';

type Begin = {
  readonly connection: Connection;
  /** Null where no account is signed in: a set-up link. */
  readonly createdBy: string | null;
  /** The page of ours to which the browser returns, with `?test=<id>`. */
  readonly landing: string;
  readonly setUpLinkId?: string;
};
export type BegunTest = { readonly id: string; readonly url: string; readonly expiresAt: string };

/**
 * Begins a test; the caller has asked who may. The address is good once, for ten
 * minutes, in the browser that opens it. The row is locked by the caller (`lockConnection`).
 */
export async function beginConnectionTest(
  tx: Transaction,
  { connection, createdBy, ...begin }: Begin,
  { deps, now }: { readonly deps: SignInDeps; readonly now: Date },
): Promise<BegunTest> {
  if (connection.type === 'saml' && connection.saml === null) throw errors.noMetadata();
  if (connection.type === 'oidc') openSecret(connection, deps);
  const id = newId();
  await insertTest(tx, { id, connectionId: connection.id, createdBy }, now);
  const key = await deps.connectionTestStarts.remember({ testId: id, connectionId: connection.id, ...begin });
  const url = `${deps.settings.appUrl}/api/auth/${providerOfConnection(connection.id)}/test?key=${key}`;
  return { id, url, expiresAt: new Date(now.getTime() + testStartSeconds * 1_000).toISOString() };
}

/** GET /api/auth/connections/{id}/test: to the provider. */
export async function openConnectionTest(context: ProtocolContext, { id }: { readonly id?: string }): Promise<Redirect> {
  const { deps, query } = context;
  assertNotLed(context);
  const key = parameter(query, 'key');
  const start = key === undefined ? undefined : await deps.connectionTestStarts.take(key);
  const connection = start === undefined || start.connectionId !== id ? undefined : await findConnection(deps.database, start.connectionId);
  if (start === undefined || connection === undefined || !(await goesOn(start, context))) return nowhere(context);
  const { result: isOpened } = await transact(context, operation, ({ tx, now }) => openTest(tx, start.testId, now));
  if (!isOpened) return nowhere(context);
  try {
    return await goToProvider(context, configure(connection, context), {
      kind: 'platform',
      remember: (trip) => deps.connectionTestFlows.remember({ ...trip, ...start, settings: settingsDigest(connection, deps) }),
    });
  } catch (error) {
    return finish(start, connection, { result: failed(error, context) }, context);
  }
}

/** A test of a set-up link ends with the link, and belongs to its browser. */
async function goesOn({ setUpLinkId }: ConnectionTestStart, context: ProtocolContext): Promise<boolean> {
  return setUpLinkId === undefined || isOpenHere(setUpLinkId, context);
}

/** Another site must not lead a visitor, who may be signed in at the provider, through a test. */
function assertNotLed(context: ProtocolContext): void {
  const { fetchSite } = context.cameFrom;
  if ((fetchSite === 'cross-site' || fetchSite === 'same-site') && !isFromOwnPage(context)) throw errors.untrustedOrigin();
}

/** Whether the browser comes back from a test, of this connection. */
export async function isConnectionTest({ deps }: ProtocolContext, state: string): Promise<boolean> {
  return state !== '' && (await deps.connectionTestFlows.has(state));
}

/** The callback of a test: what a sign-in would make of it is written down, and nothing else. */
export async function endConnectionTest(context: ProtocolContext, id: string | undefined): Promise<Redirect> {
  const { deps, query } = context;
  const flow = await takeFlow(context, {
    flows: deps.connectionTestFlows,
    faultOf: (one) => {
      if (one.connectionId !== id) return 'provider';
      return isBrowserOf(one, context) ? undefined : 'browser';
    },
    refusalOf: (reason) => ({ operation, action: 'oauth.callback', entry: { detail: { provider: 'a test', reason } } }),
  });
  const connection = flow !== undefined && isId(flow.connectionId) ? await findConnection(deps.database, flow.connectionId) : undefined;
  if (flow === undefined || connection === undefined || !(await goesOn(flow, context))) return nowhere(context);
  const describe = flow.setUpLinkId === undefined ? describeAnswer : describeToStranger;
  const result = await identify(flow, configure(connection, context), query)
    .then((identity) => describe(connection, identity, context))
    .catch((error: unknown) => failed(error, context));
  return finish(flow, connection, { result, settings: flow.settings }, context);
}

function identify(
  flow: ConnectionTestFlow & { readonly state: string },
  { provider, callbacks }: ConfiguredProvider,
  query: URLSearchParams,
) {
  const { state, codeVerifier } = flow;
  return provider.identify(query, { redirectUri: callbacks.platform, state, codeVerifier, readsAll: true });
}

function failed(error: unknown, { deps }: ProtocolContext): TestResult {
  return { cause: causeOfFailure(error, deps), came: [], became: null, findings: [] };
}

function causeOfFailure(error: unknown, { logger }: SignInDeps): Cause {
  if (error instanceof ProviderRefusal || error instanceof ProviderFailure) return error.why ?? causeInWords(error.message);
  logger.error({ err: error }, 'a test of a connection failed');
  return causeInWords('this server could not finish the test', 'ours');
}

type Finished = { readonly result: TestResult; readonly settings?: string };

async function finish(
  { testId, landing, setUpLinkId }: ConnectionTestStart,
  { id, organizationId, name }: Connection,
  { result, settings }: Finished,
  context: ProtocolContext,
): Promise<Redirect> {
  const isRefused = result.findings.some(({ isBlocking }) => isBlocking);
  const status = result.cause === null ? (isRefused ? 'refused' : 'passed') : 'failed';
  await transact(context, operation, async ({ tx, now, audit }) => {
    const connection = await lockConnection(tx, organizationId, id);
    const test = connection && (await finishTest(tx, testId, { status, result }, now));
    if (connection === undefined || test === undefined) return;
    // Of the settings that it has now.
    if (status === 'passed' && settings === settingsDigest(connection, context.deps)) await noteTested(tx, id, now);
    const byLink = setUpLinkId === undefined ? {} : { setUpLinkId };
    const detail = { name, status, ...(result.cause === null ? {} : { cause: result.cause.kind }), ...byLink };
    const actor = test.createdBy === null ? {} : { actorId: test.createdBy };
    const scope = { tenant: 'organization', id: organizationId } as const;
    audit('connection.tested', { ...actor, targetType: 'Connection', targetId: id, scope, detail });
  });
  return { location: landWith({ kind: 'frontend', url: landing }, { test: testId }) };
}

/** Of what the provider is asked by; it is kept in the flow alone. */
function settingsDigest(connection: Connection, deps: SignInDeps): string {
  const { type, issuer, clientId, scopes, saml } = connection;
  const secret = type === 'oidc' ? openSecret(connection, deps) : null;
  return digest(JSON.stringify([issuer, clientId, scopes, saml, secret]));
}

/** The same for an unknown, used and expired one, and in another browser. */
function nowhere({ deps }: ProtocolContext): Redirect {
  return { location: landWith(defaultLanding(deps.settings.frontendUrl), { error: 'invalid_state' }) };
}
