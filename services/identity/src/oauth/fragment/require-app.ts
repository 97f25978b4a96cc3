import { failures } from '@tessera/kernel/errors';
import { findProjectAppByClient } from '../../apps/storage/project-apps.ts';
import { allowsRedirect, chooseProvider, type ProjectApp } from '../../ground/domain/project-app.ts';
import type { ProtocolContext } from '../deps.ts';
import { errors } from '../errors.ts';

/** The app with this client id. Each step of a flow reads it again. */
export async function requireApp(clientId: string, { deps }: Pick<ProtocolContext, 'deps'>): Promise<ProjectApp> {
  const app = await findProjectAppByClient(deps.database, clientId);
  if (app === undefined) throw failures.notFound('ProjectApp');
  return app;
}

/**
 * RFC 9700 4.1.3: a redirect URI that is not the app's own, character by character, gets an error
 * page and never a redirect.
 */
export function assertRedirectAllowed(app: ProjectApp, redirectUri: string): void {
  if (!allowsRedirect(app, redirectUri)) throw errors.redirectNotAllowed({ extensions: { field: 'redirect_uri' } });
}

/** The provider of the flow: the requested one, or the app's first. */
export function requireProvider(app: ProjectApp, requested: string | undefined, { deps }: Pick<ProtocolContext, 'deps'>): string {
  const chosen = chooseProvider(app, [...deps.connections.keys()], requested);
  if (chosen === undefined) throw errors.providerNotAllowed({ extensions: { field: 'provider' } });
  return chosen;
}
