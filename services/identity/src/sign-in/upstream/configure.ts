import { failures } from '@tessera/kernel/errors';
import type { ConfiguredProvider } from '../connections/provider.ts';
import { configureSaml } from '../connections/saml/saml-connection.ts';
import type { ProtocolContext } from '../deps.ts';
import type { Connection } from '../storage/connections.ts';
import { openSecret } from './open-secret.ts';

/** The identity provider of an organization, ready for a round trip. */
export function configure(connection: Connection, { deps, now }: Pick<ProtocolContext, 'deps' | 'now'>): ConfiguredProvider {
  const { id, issuer, clientId, scopes, saml, roleMapping } = connection;
  if (saml !== null) {
    const { appUrl } = deps.settings;
    return configureSaml({ id, saml }, { appUrl, answers: deps.samlAnswers, nowMs: now.getTime() });
  }
  if (issuer === null || clientId === null) throw failures.notFound('Connection');
  return deps.openidConnections.configured({ id, issuer, clientId, scopes, roleMapping }, openSecret(connection, deps));
}
