import type { Redirect } from '../../ground/context.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import type { ProjectFlow } from '../../sign-in/flow.ts';
import { refuseSignIn } from '../../sign-in/upstream/trip.ts';
import type { ProtocolContext } from '../deps.ts';
import type { IssuedToken } from './issue-token.ts';

/**
 * Redirects to the app with the parameters in the fragment, which no server sees. The URI was
 * checked in this request.
 */
function answerApp({ redirectUri, clientState }: ProjectFlow, answer: Readonly<Record<string, string>>): Redirect {
  const fragment = new URLSearchParams({ ...answer, ...(clientState === undefined ? {} : { state: clientState }) });
  return { location: `${redirectUri}#${fragment}` };
}

export function answerToken(flow: ProjectFlow, { token, expiresIn }: IssuedToken): Redirect {
  return answerApp(flow, { access_token: token, token_type: 'Bearer', expires_in: String(expiresIn) });
}

/** The audit log gets the reason. The app gets a code: refused, or try again. */
export async function answerRefusal(flow: ProjectFlow, app: ProjectApp, error: unknown, context: ProtocolContext): Promise<Redirect> {
  const reason = Error.isError(error) ? error.message.slice(0, 200) : '';
  const target = { targetType: 'ProjectApp', targetId: app.id };
  const code = await refuseSignIn(context, {
    error,
    message: 'a sign-in to an app failed',
    details: { projectAppId: app.id },
    refusalOf: (refused) => {
      const detail = { by: flow.by, ...(refused === 'server_error' ? {} : { reason }) };
      return { operation: 'projectOauth', action: 'project-oauth.login', entry: { ...target, detail } };
    },
  });
  return answerApp(flow, { error: code });
}
