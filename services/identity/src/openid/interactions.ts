/** What the hosted pages ask, and the answers. Only the browser that began one reads it. */
import { failures } from '@tessera/kernel/errors';
import type { OperationContext } from '@tessera/kernel/operation';
import type { IdentityDeps } from '../deps.ts';
import type { ProjectApp } from '../domain/oauth/project-app.ts';
import { isBoundBrowser } from '../sign-in/browser-binding.ts';
import { type FoundArtifact, findInteraction, upsertArtifact } from '../storage/openid-artifacts.ts';
import { findTypedApp } from '../storage/project-apps.ts';
import type { SignedInSession } from '../storage/sessions.ts';
import { bindingName } from './binding.ts';
import { type Issuer, issuerOfUrl } from './issuer.ts';
import { browserSession } from './session.ts';

type Context = Pick<OperationContext<IdentityDeps>, 'deps' | 'request' | 'now'>;

export type AskedInteraction = {
  readonly issuer: Issuer;
  readonly app: ProjectApp;
  readonly artifact: FoundArtifact;
  readonly prompt: 'sign_in' | 'consent' | 'logout';
  /** Why the person is asked, in the library's words. */
  readonly reasons: readonly string[];
  /** The requested scopes. */
  readonly scopes: readonly string[];
  readonly returnTo: string;
  readonly startedAt: Date;
  readonly lastSubmission: Readonly<Record<string, unknown>>;
  readonly session: SignedInSession | undefined;
};

/** Not found: unknown, over, of another browser, or of an app that is gone. */
export async function requireInteraction(id: string, { deps, request, now }: Context): Promise<AskedInteraction> {
  const { appUrl, cookieOrigins } = deps.settings;
  if (request.origin !== undefined && !cookieOrigins.includes(request.origin)) throw failures.forbidden();
  const artifact = await findInteraction(deps.database, id, now);
  const issuer = artifact && issuerOfUrl(artifact.issuer, appUrl);
  if (artifact === undefined || issuer === undefined) throw failures.notFound('Interaction');
  const { browser, prompt, params, returnTo, iat, lastSubmission } = payloadOf(artifact);
  if (!isBoundBrowser(request, browser, appUrl, bindingName(issuer))) throw failures.notFound('Interaction');
  const app = await findTypedApp(deps.database, params.clientId);
  if (app === undefined) throw failures.notFound('Interaction');
  return {
    ...{ issuer, app, artifact, returnTo, lastSubmission },
    prompt: promptOf(prompt.name),
    reasons: prompt.reasons,
    scopes: params.scope.split(' ').filter((name) => name !== ''),
    startedAt: new Date(iat * 1_000),
    session: await browserSession({ request, deps, now }),
  };
}

function promptOf(name: string): AskedInteraction['prompt'] {
  if (name === 'login') return 'sign_in';
  return name === 'logout' ? 'logout' : 'consent';
}

/** Stores the person's answer. The provider reads it when the browser comes back to `returnTo`. */
export async function answerInteraction(
  { artifact, issuer, app }: AskedInteraction,
  result: Readonly<Record<string, unknown>>,
  { deps, now }: Context,
): Promise<void> {
  const remainingMs = Number(artifact.payload['exp']) * 1_000 - now.getTime();
  await upsertArtifact(deps.database, {
    ...{ digest: artifact.digest, issuer: issuer.url, model: 'Interaction', payload: { ...artifact.payload, result } },
    ...{ grantId: null, userCodeDigest: null, userId: null, projectAppId: app.id, sessionId: null },
    expiresAt: new Date(now.getTime() + Math.max(remainingMs, 0)),
  });
}

type Payload = {
  readonly browser: string;
  readonly prompt: { readonly name: string; readonly reasons: readonly string[] };
  readonly params: { readonly clientId: string; readonly scope: string };
  readonly returnTo: string;
  readonly iat: number;
  readonly lastSubmission: Readonly<Record<string, unknown>>;
};

/** Only `createAdapter` writes these rows, so they have the shape that the library gives them. */
function payloadOf({ payload }: FoundArtifact): Payload {
  const stored = payload as Omit<Payload, 'params'> & { readonly params: { readonly client_id: string; readonly scope?: string } };
  const { browser, prompt, params, returnTo, iat, lastSubmission = {} } = stored;
  return { browser, prompt, returnTo, iat, lastSubmission, params: { clientId: params.client_id, scope: params.scope ?? '' } };
}
