import type { Redirect } from '../../ground/context.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { auditRefusal } from '../../ground/transact.ts';
import type { ProjectFlow } from '../../sign-in/flow.ts';
import { flowErrorOf } from '../../sign-in/upstream/refusal.ts';
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
  const code = flowErrorOf(error);
  if (code === 'server_error') context.deps.logger.error({ err: error, projectAppId: app.id }, 'a sign-in to an app failed');
  const reason = Error.isError(error) ? error.message.slice(0, 200) : '';
  await auditRefusal(context, {
    operation: 'projectOauth',
    action: 'project-oauth.login',
    code,
    entry: { targetType: 'ProjectApp', targetId: app.id, detail: { by: flow.by, ...(code === 'server_error' ? {} : { reason }) } },
  });
  return answerApp(flow, { error: code });
}
