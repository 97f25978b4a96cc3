import { failures } from '@tessera/kernel/errors';
import type { Redirect } from '../../ground/context.ts';
import { emailProvider } from '../../ground/domain/people.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { parameter, requiredParameter } from '../../ground/parameters.ts';
import { demandsOf } from '../../sign-in/demands.ts';
import { goToProvider } from '../../sign-in/upstream/trip.ts';
import type { ProtocolContext } from '../deps.ts';
import { assertRedirectAllowed, requireApp, requireProvider } from './require-app.ts';

type AppRequest = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly clientState: string | undefined;
  readonly provider: string | undefined;
};

/** GET /api/auth/project/authorize: an app redirects a browser here to sign in. */
export async function authorizeForApp(context: ProtocolContext): Promise<Redirect> {
  const request = readRequest(context.query);
  const app = await requireApp(request.clientId, context);
  assertRedirectAllowed(app, request.redirectUri);
  const provider = requireProvider(app, request.provider, context);
  return provider === emailProvider ? toEntryPage(request, context) : toProvider(provider, request, app, context);
}

function readRequest(query: URLSearchParams): AppRequest {
  return {
    clientId: requiredParameter(query, 'client_id'),
    redirectUri: requiredParameter(query, 'redirect_uri'),
    clientState: parameter(query, 'state'),
    provider: parameter(query, 'provider'),
  };
}

/**
 * The frontend asks for the address, then requests the link with POST
 * /api/auth/project/email/request. Until then nothing is stored.
 */
function toEntryPage({ clientId, redirectUri, clientState }: AppRequest, { deps }: ProtocolContext): Redirect {
  const page = new URL(deps.emailEntryUrl);
  page.searchParams.set('client_id', clientId);
  page.searchParams.set('redirect_uri', redirectUri);
  if (clientState !== undefined) page.searchParams.set('state', clientState);
  return { location: page.href };
}

async function toProvider(
  name: string,
  { clientId, redirectUri, clientState }: AppRequest,
  app: ProjectApp,
  context: ProtocolContext,
): Promise<Redirect> {
  const { deps } = context;
  const configured = deps.connections.get(name);
  if (configured === undefined) throw failures.notFound('Provider');
  const toApp = { clientId, redirectUri, ...(clientState === undefined ? {} : { clientState }) };
  const { maxSessionAgeMinutes } = await demandsOf(app, deps);
  return goToProvider(context, configured, {
    kind: 'project',
    ...(maxSessionAgeMinutes === null ? {} : { maxAgeSeconds: maxSessionAgeMinutes * 60 }),
    remember: (trip) => deps.projectFlows.remember({ ...toApp, by: 'provider', ...trip }),
  });
}
