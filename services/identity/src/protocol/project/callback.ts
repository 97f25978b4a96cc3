import { parseScope } from '@tessera/kernel/scope';
import { emailProvider } from '../../domain/people.ts';
import type { ProtocolContext, Redirect } from '../context.ts';
import { answerRefusal, answerToken } from './answer-app.ts';
import { authenticate } from './authenticate.ts';
import { decideGrant } from './decide-grant.ts';
import { assertStillProjectUser, ensureProjectUser } from './ensure-project-user.ts';
import { issueToken } from './issue-token.ts';
import { assertRedirectAllowed, requireApp, requireProvider } from './require-app.ts';
import { resolveUser } from './resolve-user.ts';
import { takeFlow } from './take-flow.ts';

/**
 * GET /api/auth/project/callback: the end of a sign-in to an app, whether it went through a
 * provider or a mailbox.
 */
export async function endSignInToApp(request: ProtocolContext): Promise<Redirect> {
  const flow = await takeFlow(request);
  const app = await requireApp(flow.clientId, request);
  const context = { ...request, scope: parseScope(app.scope) };
  assertRedirectAllowed(app, flow.redirectUri);
  requireProvider(app, flow.by === 'email' ? emailProvider : flow.provider, context);
  try {
    const identity = await authenticate(flow, context);
    const known = await resolveUser(identity, context);
    const userId = await ensureProjectUser(known, identity, app, context);
    const grant = await decideGrant(userId, app, context);
    const issued = await issueToken(userId, grant, app, flow, context);
    await assertStillProjectUser(userId, app, context);
    return answerToken(flow, issued);
  } catch (error) {
    return answerRefusal(flow, app, error, context);
  }
}
