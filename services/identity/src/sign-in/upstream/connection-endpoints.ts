/** Below /api/auth/connections/{id}: sign-in by the identity provider of an organization. */
import { failures } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import type { Redirect } from '../../ground/context.ts';
import { providerOfConnection } from '../../ground/domain/connection.ts';
import { oneOf, parameter } from '../../ground/parameters.ts';
import { auditRefusal } from '../../ground/transact.ts';
import { type ConfiguredProvider, ProviderFailure } from '../connections/provider.ts';
import { SamlRefusal } from '../connections/saml/document.ts';
import { keptOf, samlAddressesOf, serviceMetadata } from '../connections/saml/saml-connection.ts';
import type { ProtocolContext } from '../deps.ts';
import { landWith } from '../domain/landing.ts';
import { type Connection, findConnection } from '../storage/connections.ts';
import { endSignIn } from './callback.ts';
import { configure } from './configure.ts';
import { confirmBy, connectBy, loginBy } from './connection-sign-in.ts';
import { endConnectionTest, isConnectionTest } from './connection-test.ts';
import { readRequest } from './read-request.ts';
import { actionOf, FlowRefusal } from './refusal.ts';
import { startSignIn } from './start.ts';

type Parameters = { readonly id?: string };

export async function startConnectionSignIn(context: ProtocolContext, { id }: Parameters): Promise<Redirect> {
  const { connection, configured } = await activeConnection(id, context);
  // No person could sign in: a link to it would only lead elsewhere.
  if ((await whyClosed(connection, context)) !== undefined) throw failures.notFound('Connection');
  const query = new URLSearchParams(context.query);
  const loginHint = parameter(query, 'login_hint');
  query.delete('login_hint');
  // People are made by their first sign-in: there is no registration.
  oneOf(query, 'action', ['login', 'connect', 'confirm']);
  const asked = { ...context, query };
  return startSignIn(asked, configured, loginHint === undefined ? {} : { loginHint }).catch((error: unknown) => {
    if (error instanceof ProviderFailure) return leadBack(asked, connection, error);
    throw error;
  });
}

/** The provider does not answer. A stranger may begin a sign-in: the log says so once a minute. */
async function leadBack(context: ProtocolContext, { id, organizationId }: Connection, { message }: ProviderFailure): Promise<Redirect> {
  const { landing, action } = readRequest(context);
  const error = 'temporarily_unavailable';
  if ((await context.deps.counters.increment(`connection-unreached:${id}`, 1, 60)) === 1) {
    const detail = { provider: providerOfConnection(id), reason: message.slice(0, 300) };
    const entry = { targetType: 'Connection', targetId: id, scope: { tenant: 'organization', id: organizationId } as const, detail };
    await auditRefusal(context, { operation: 'platformOauth', ...actionOf[action], code: error, entry });
  }
  return { location: landWith(landing, { error, connection: id }) };
}

export async function endConnectionSignIn(context: ProtocolContext, { id }: Parameters): Promise<Redirect> {
  // One that is not active can be tested. Whose state it is decides, and no state is both.
  if (await isConnectionTest(context, context.query.get('state') ?? '')) return endConnectionTest(context, id);
  const { connection, configured } = await activeConnection(id, context);
  const steps = {
    login: loginBy(connection),
    connect: connectBy(connection),
    confirm: confirmBy(connection),
    register: () => Promise.reject(new FlowRefusal('invalid_request')),
  };
  return endSignIn(context, configured, steps, {
    id: connection.id,
    organizationId: connection.organizationId,
    name: connection.name,
    async assertOpen() {
      const reason = await whyClosed(connection, context);
      if (reason !== undefined) throw new FlowRefusal('access_denied', reason);
    },
  });
}

async function whyClosed({ organizationId }: Connection, { deps }: ProtocolContext): Promise<string | undefined> {
  const { isOpen, hasProvenDomain } = await deps.tenancy.getAdmission({ organizationId, address: '', userId: '' });
  if (!isOpen) return 'the organization is suspended or gone';
  return hasProvenDomain ? undefined : 'the organization has no proven domain';
}

async function activeConnection(
  id: string | undefined,
  context: ProtocolContext,
): Promise<{ readonly connection: Connection; readonly configured: ConfiguredProvider }> {
  const connection = await livingConnection(id, context);
  // The same for one that does not exist: nothing of an organization's plans is told.
  if (connection?.status !== 'active') throw failures.notFound('Connection');
  return { connection, configured: configure(connection, context) };
}

async function livingConnection(id: string | undefined, { deps }: ProtocolContext): Promise<Connection | undefined> {
  return id !== undefined && isId(id) ? findConnection(deps.database, id) : undefined;
}

/**
 * POST …/acs: the form of a SAML provider (Bindings 3.5). Cookies do not come with a post from
 * another site, so the verified answer is kept, and the browser asks for the same address with its
 * own request. Whose answer it is shows there.
 */
export async function receiveSamlAnswer(context: ProtocolContext, { id }: Parameters, form: URLSearchParams): Promise<Redirect> {
  const { deps, now } = context;
  const state = (form.get('RelayState') ?? '').slice(0, longestState);
  const isTest = await isConnectionTest(context, state);
  const connection = isTest ? await livingConnection(id, context) : (await activeConnection(id, context)).connection;
  if (connection?.saml == null) throw failures.notFound('Connection');
  const { entityId: idpEntityId, certificates } = connection.saml;
  const { acsUrl, spEntityId } = samlAddressesOf(deps.settings.appUrl, connection.id);
  const onward = new URL(acsUrl);
  onward.searchParams.set('state', state);
  // XML is read for a sign-in that is under way only; without one, the next page says so.
  if (!isTest && !(await deps.platformFlows.has(state))) return { location: onward.href };
  const settings = { idpEntityId, certificates, spEntityId, acsUrl, nowMs: now.getTime() };
  const read = await deps.samlReader
    .response(form.get('SAMLResponse') ?? '', settings)
    .then((answer) => ({ answer: keptOf(answer) }))
    .catch((error: unknown) => {
      if (error instanceof SamlRefusal) return { refusal: error.message };
      throw error;
    });
  onward.searchParams.set('answer', await deps.samlAnswers.remember({ connectionId: connection.id, ...read }));
  return { location: onward.href };
}

/** GET …/metadata: ours, for the provider's administrator. Also of a draft: they need it first. */
export async function showSamlMetadata(context: ProtocolContext, { id }: Parameters): Promise<string> {
  const connection = await livingConnection(id, context);
  if (connection?.type !== 'saml') throw failures.notFound('Connection');
  return serviceMetadata(context.deps.settings.appUrl, connection.id);
}

const longestState = 200;
