/** What the hosted pages ask, and the answers. Only the browser that began one reads it. */
import { failures } from '@tessera/kernel/errors';
import type { OperationContext } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { type FoundArtifact, findInteraction, upsertArtifact } from '../../apps/storage/openid-artifacts.ts';
import { findTypedApp } from '../../apps/storage/project-apps.ts';
import { isBoundBrowser } from '../../ground/browser-binding.ts';
import type { ProjectApp, ProjectScope } from '../../ground/domain/project-app.ts';
import { browserSession } from '../../sign-in/browser-session.ts';
import type { SignedInSession } from '../../sign-in/storage/sessions.ts';
import type { OauthDeps } from '../deps.ts';
import { digestOfName } from './adapter.ts';
import { bindingName } from './binding.ts';
import { findRequestingDevice, type RequestingDevice } from './device-codes.ts';
import { findKnownDocumentApp, isDocumentAddress } from './document-clients.ts';
import { type Issuer, issuerOfUrl } from './issuer.ts';
import { type Organization, organizationPrompt } from './organizations.ts';

type Context = Pick<OperationContext<OauthDeps>, 'deps' | 'request' | 'now'>;

export type AskedInteraction = {
  readonly issuer: Issuer;
  readonly client: { readonly clientId: string; readonly name: string };
  /** Its client gets a session with all rights of the person. */
  readonly opensSession: boolean;
  /** Undefined for a client of the platform itself. */
  readonly app: ProjectApp | undefined;
  readonly artifact: FoundArtifact;
  readonly prompt: 'sign_in' | 'organization' | 'consent' | 'device' | 'logout';
  /** Why the person is asked, in the library's words. */
  readonly reasons: readonly string[];
  /** The requested scopes. */
  readonly scopes: readonly string[];
  /** The organization that the person signs in for, if it uses another one's project. */
  readonly organization: Organization | undefined;
  readonly returnTo: string;
  readonly startedAt: Date;
  readonly lastSubmission: Readonly<Record<string, unknown>>;
  readonly session: SignedInSession | undefined;
  /** The program that requested the code of a device. */
  readonly device: RequestingDevice | undefined;
  /** Where the answer goes. */
  readonly redirectUri: string | undefined;
  /** By which connection the client wants the person to come, or of which organization. */
  readonly hint: { readonly connection?: string | undefined; readonly organization?: string | undefined };
  /** The browser's session when the interaction began; undefined if it had none. */
  readonly askedSessionId: string | undefined;
};

/** Not found: unknown, over, of another browser, or of an app that is gone. */
export async function requireInteraction(id: string, context: Context): Promise<AskedInteraction> {
  const { request, deps } = context;
  const { appUrl, cookieOrigins } = deps.settings;
  if (request.origin !== undefined && !cookieOrigins.includes(request.origin)) throw failures.forbidden();
  const asked = await openInteraction(id, context);
  const { browser } = payloadOf(asked.artifact);
  if (!isBoundBrowser(request, browser, appUrl, bindingName(asked.issuer))) throw failures.notFound('Interaction');
  return asked;
}

/** Without asking which browser it is: for the request that has just begun it. */
export async function openInteraction(id: string, { deps, request, now }: Context): Promise<AskedInteraction> {
  const { appUrl } = deps.settings;
  const artifact = await findInteraction(deps.database, id, now);
  const issuer = artifact && issuerOfUrl(artifact.issuer, appUrl);
  if (artifact === undefined || issuer === undefined) throw failures.notFound('Interaction');
  const { prompt, params, returnTo, iat, lastSubmission, deviceCode, organization, session: asked } = payloadOf(artifact);
  const app = issuer.scope === undefined ? undefined : await findAppOf(params.clientId, issuer.scope, deps);
  const own = issuer.scope === undefined ? deps.platformClients.get(params.clientId) : undefined;
  const client = app ?? own;
  if (client === undefined) throw failures.notFound('Interaction');
  return {
    issuer,
    app,
    artifact,
    returnTo,
    lastSubmission,
    client: { clientId: client.clientId, name: client.name },
    opensSession: own?.opensSessions === true,
    prompt: promptOf(prompt.name, deviceCode !== undefined),
    reasons: prompt.reasons,
    scopes: params.scope.split(' ').filter((name) => name !== ''),
    organization,
    redirectUri: params.redirectUri,
    hint: { connection: params.connection, organization: params.organization },
    startedAt: new Date(iat * 1_000),
    session: await browserSession({ request, deps, now }),
    device:
      deviceCode === undefined
        ? undefined
        : await findRequestingDevice(deps.database, { issuer: issuer.url, digest: digestOfName('DeviceCode', deviceCode) }, now),
    askedSessionId: asked?.uid,
  };
}

/** The document of a client is not read again for its page: the page shows what was read. */
async function findAppOf(clientId: string, scope: ProjectScope, deps: OauthDeps): Promise<ProjectApp | undefined> {
  if (!isDocumentAddress(clientId)) return findTypedApp(deps.database, clientId);
  return findKnownDocumentApp(clientId, scope, deps);
}

function promptOf(name: string, isDevice: boolean): AskedInteraction['prompt'] {
  if (name === 'login') return 'sign_in';
  if (name === 'logout') return 'logout';
  if (name === organizationPrompt) return 'organization';
  return isDevice ? 'device' : 'consent';
}

/** Stores the person's answer. The provider reads it when the browser comes back to `returnTo`. */
export async function answerInteraction(
  { artifact, issuer, app }: AskedInteraction,
  result: Readonly<Record<string, unknown>>,
  { tx, now }: { readonly tx: Transaction; readonly now: Date },
): Promise<void> {
  const remainingMs = Number(artifact.payload['exp']) * 1_000 - now.getTime();
  await upsertArtifact(tx, {
    digest: artifact.digest,
    issuer: issuer.url,
    model: 'Interaction',
    payload: { ...artifact.payload, result },
    grantId: null,
    userCodeDigest: null,
    userId: null,
    projectAppId: app?.id ?? null,
    sessionId: null,
    organizationId: null,
    expiresAt: new Date(now.getTime() + Math.max(remainingMs, 0)),
  });
}

type Payload = {
  readonly browser: string;
  readonly prompt: { readonly name: string; readonly reasons: readonly string[] };
  readonly params: AskedInteraction['hint'] & {
    readonly clientId: string;
    readonly scope: string;
    readonly redirectUri: string | undefined;
  };
  readonly returnTo: string;
  readonly iat: number;
  readonly lastSubmission: Readonly<Record<string, unknown>>;
  readonly deviceCode: string | undefined;
  readonly session: { readonly uid: string } | undefined;
  readonly organization: Organization | undefined;
};

/** Only `createAdapter` writes these rows, so they have the shape that the library gives them. */
function payloadOf({ payload }: FoundArtifact): Payload {
  const stored = payload as Omit<Payload, 'params'> & {
    readonly params: AskedInteraction['hint'] & { readonly client_id: string; readonly scope?: string; readonly redirect_uri?: string };
  };
  const { params, lastSubmission = {}, ...others } = stored;
  const { client_id: clientId, scope = '', redirect_uri: redirectUri, connection, organization } = params;
  return { ...others, lastSubmission, params: { clientId, scope, redirectUri, connection, organization } };
}
