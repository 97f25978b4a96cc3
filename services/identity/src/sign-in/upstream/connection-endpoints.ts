/** GET /api/auth/connections/{id} and its callback: the identity provider of an organization. */
import { failures } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import type { Redirect } from '../../ground/context.ts';
import { oneOf, parameter } from '../../ground/parameters.ts';
import type { ConfiguredProvider } from '../connections/provider.ts';
import type { ProtocolContext } from '../deps.ts';
import { type Connection, findConnection } from '../storage/connections.ts';
import { endSignIn } from './callback.ts';
import { confirmBy, connectBy, loginBy } from './connection-sign-in.ts';
import { openSecret } from './open-secret.ts';
import { FlowRefusal } from './refusal.ts';
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
  return startSignIn({ ...context, query }, configured, loginHint === undefined ? {} : { loginHint });
}

export async function endConnectionSignIn(context: ProtocolContext, { id }: Parameters): Promise<Redirect> {
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
  { deps }: ProtocolContext,
): Promise<{ readonly connection: Connection; readonly configured: ConfiguredProvider }> {
  const connection = id !== undefined && isId(id) ? await findConnection(deps.database, id) : undefined;
  // The same for one that does not exist: nothing of an organization's plans is told.
  if (connection?.status !== 'active') throw failures.notFound('Connection');
  return { connection, configured: deps.openidConnections.configured(connection, openSecret(connection, deps)) };
}
