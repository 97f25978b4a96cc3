import { parseScope } from '@tessera/kernel/scope';
import { isProjectUser } from '../../apps/voucher.ts';
import type { Redirect } from '../../ground/context.ts';
import { emailProvider } from '../../ground/domain/people.ts';
import { deferForApp } from '../../sign-in/app-second-factor.ts';
import type { ProjectFlow } from '../../sign-in/flow.ts';
import { isBrowserOf, takeFlow } from '../../sign-in/upstream/trip.ts';
import type { ProtocolContext } from '../deps.ts';
import { errors } from '../errors.ts';
import { answerRefusal, answerToken } from './answer-app.ts';
import { assertDemandsMet } from './assert-demands-met.ts';
import { identifyPerson } from './authenticate.ts';
import { decideGrant, decideSignUp, requireVouched } from './decide-grant.ts';
import { giveSignUpRole } from './give-sign-up-role.ts';
import { issueToken } from './issue-token.ts';
import { assertRedirectAllowed, requireApp, requireProvider } from './require-app.ts';
import { assertStillProjectUser, signUp } from './sign-up.ts';

/**
 * GET /api/auth/project/callback: the end of a sign-in to an app, whether it went through a
 * provider or a mailbox.
 */
export async function endSignInToApp(request: ProtocolContext): Promise<Redirect> {
  const flow = await requireFlow(request);
  const app = await requireApp(flow.clientId, request);
  const context = { ...request, scope: parseScope(app.scope) };
  assertRedirectAllowed(app, flow.redirectUri);
  requireProvider(app, flow.by === 'email' ? emailProvider : flow.provider, context);
  try {
    const { identity, known } = await identifyPerson(flow, context);
    const page = known && (await deferForApp(flow, known, context.deps, context.now));
    if (page !== undefined) return { location: page };
    const age = identity?.proofAgeSeconds;
    await assertDemandsMet({ by: flow.by, userId: known?.userId, ...(age === undefined ? {} : { proofAgeSeconds: age }) }, app, context);
    const isMember = known !== undefined && (await isProjectUser(known.userId, app.scope, context.deps));
    // Judged before a person joins, so that a refused sign-in changes nothing.
    const judged = isMember ? await decideGrant(known.userId, app, context) : await decideSignUp(app, context);
    const userId = isMember ? known.userId : await signUp(known, identity, app, context);
    const grant = isMember && (await giveSignUpRole(userId, app, context)) ? await decideGrant(userId, app, context) : judged;
    const issued = await issueToken(userId, grant, app, flow, context);
    await assertStillProjectUser(userId, app, context);
    // When the voucher leaves or the person rises, the tokens end that are stored by then: one that
    // was being signed is judged again.
    await (isMember ? decideGrant(userId, app, context) : requireVouched(app, context));
    return answerToken(flow, issued);
  } catch (error) {
    return answerRefusal(flow, app, error, context);
  }
}

/**
 * Without a flow there is no address to redirect to, so the answer is an error page. A flow through
 * a provider must end in the browser that began it, so that a link cannot sign a person in as
 * another one (RFC 6749 10.12). A mail may be opened in another browser: there the app checks its
 * own `state`.
 */
async function requireFlow(context: ProtocolContext): Promise<ProjectFlow & { readonly state: string }> {
  const isHere = (flow: ProjectFlow) => {
    const browser = flow.by === 'email' ? undefined : flow.browser;
    return browser === undefined || isBrowserOf({ browser }, context);
  };
  const flow = await takeFlow(context, {
    flows: context.deps.projectFlows,
    faultOf: (taken) => (isHere(taken) ? undefined : 'browser'),
    refusalOf: () => ({ operation: 'projectOauth', action: 'project-oauth.login' }),
  });
  if (flow === undefined) throw errors.invalidState({ extensions: { field: 'state' } });
  return flow;
}
