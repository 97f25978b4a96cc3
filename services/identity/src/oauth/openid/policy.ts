/** When a person is asked: to sign in, or to consent. */
import { parseScope } from '@tessera/kernel/scope';
import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { isProjectUser, isShutOut, vouchedApp } from '../../apps/voucher.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { demandsOf, isByEnabledProvider, type UnmetDemand, unmetDemand } from '../../sign-in/demands.ts';
import { requiredConnection } from '../../sign-in/enforcement.ts';
import { isFreshForProgram } from '../../sign-in/new-way-in.ts';
import { isOwnLevel, isWithinReach, secondFactorIn } from '../../sign-in/own-level.ts';
import { findPlatformClient, requireClientApp } from './clients.ts';
import { cameOtherwise } from './connection-hint.ts';
import { choiceOf, isEndedThere, organizationPrompt } from './organizations.ts';
import { openidOf } from './request.ts';

const { Check, Prompt, base } = interactionPolicy;

/** The library's policy, and what Tessera asks besides. */
export function createPolicy(): interactionPolicy.DefaultPolicy {
  const policy = base();
  policy.add(createOrganizationPrompt(), 1);
  policy
    .get('login')
    ?.checks.add(
      new Check(
        'way_to_sign_in',
        'the app does not allow this way to sign in',
        async (ctx) => !(await isAllowedWay(ctx)) || (await unmetDemandOf(ctx)) === 'way_to_sign_in',
      ),
    );
  const demand = (reason: UnmetDemand, description: string) =>
    policy.get('login')?.checks.add(new Check(reason, description, async (ctx) => (await unmetDemandOf(ctx)) === reason));
  policy
    .get('login')
    ?.checks.add(new Check('connection_asked', 'the app asks for a sign-in by this connection', 'login_required', cameOtherwise));
  demand('connection', 'the organization lets its members in by its own identity provider only');
  demand('second_factor', 'the app or its organization demands a second factor');
  demand('session_age', 'the organization demands a younger sign-in');
  policy.get('login')?.checks.add(new Check('own_way', 'the app asks how old the sign-in is', 'login_required', mustProveBySelf));
  policy.get('login')?.checks.add(new Check('opens_session', 'a session for a program needs a fresh sign-in', mustProveAgain));
  policy.get('consent')?.checks.add(new Check('device', 'a device asks', isUnansweredDevice), 0);
  policy.get('consent')?.checks.add(new Check('sign_up', 'the person has not joined the project yet', mustSignUp), 0);
  return policy;
}

/**
 * Who has several organizations to sign in for, or none, is asked. `prompt=select_account` asks
 * again those who have several.
 */
function createOrganizationPrompt(): interactionPolicy.Prompt {
  const isOpen = async (ctx: KoaContextWithOIDC) => (await choiceOf(ctx)).kind === 'ask';
  const check = new Check('organization', 'the person chooses an organization', 'interaction_required', isOpen);
  const prompt = new Prompt({ name: organizationPrompt, requestable: true }, check);
  // It would also ask those who have one.
  prompt.checks.remove(`${organizationPrompt}_prompt`);
  return prompt;
}

/** RFC 8628 section 5.4: the person always confirms, whatever was consented to before. */
function isUnansweredDevice({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.entities.DeviceCode !== undefined && oidc.result?.consent === undefined;
}

/** A session for another program is a new way in: the person must have just proven who they are. */
function mustProveAgain(ctx: KoaContextWithOIDC): boolean {
  const request = openidOf(ctx);
  const { session, context } = request;
  const opensSession = findPlatformClient(ctx.oidc.client?.clientId ?? '', request)?.opensSessions === true;
  return opensSession && session !== undefined && !isFreshForProgram(session, context.now);
}

/**
 * An app that asks how old the sign-in is does not get the word of another organization, and no app
 * gets that of one that has linked the person by itself.
 */
async function mustProveBySelf(ctx: KoaContextWithOIDC): Promise<boolean> {
  const { session, context, organizationId } = openidOf(ctx);
  if (session === undefined) return false;
  const app = await appOf(ctx);
  const place = organizationId ?? (app === undefined ? undefined : parseScope(app.scope).organizationId);
  if (!(await isWithinReach(session, place, context.deps.database))) return true;
  if (ctx.oidc.params?.['max_age'] === undefined) return false;
  const own = app === undefined ? [] : [parseScope(app.scope).organizationId];
  const places = [...own, organizationId].filter((id) => id !== undefined);
  return !(await isOwnLevel(session, places, context.deps.database));
}

async function isAllowedWay(ctx: KoaContextWithOIDC): Promise<boolean> {
  const { session } = openidOf(ctx);
  const app = session && (await appOf(ctx));
  return session === undefined || app === undefined || isByEnabledProvider(session, app);
}

/** Several checks ask; the organizations are asked once. */
function unmetDemandOf(ctx: KoaContextWithOIDC): Promise<UnmetDemand | undefined> {
  const request = openidOf(ctx);
  request.unmetDemand ??= findUnmetDemand(ctx);
  return request.unmetDemand;
}

async function findUnmetDemand(ctx: KoaContextWithOIDC): Promise<UnmetDemand | undefined> {
  const { session, context } = openidOf(ctx);
  const app = session && (await appOf(ctx));
  if (session === undefined || app === undefined) return undefined;
  const level = {
    acr: session.acr,
    amr: session.amr,
    authenticatedAtMs: Date.parse(session.authenticatedAt),
    secondFactorIn: await secondFactorIn(session, context.deps.database),
  };
  await choiceOf(ctx);
  const { organizationId: customerId } = openidOf(ctx);
  const [required, demands] = await Promise.all([
    requiredConnection({ ...session, ...level }, { scope: app.scope, customerId }, context.deps),
    demandsOf(app, context.deps, customerId),
  ]);
  return required === undefined ? unmetDemand(demands, level, context.now) : 'connection';
}

/**
 * A person who is no user of the project is asked before they join. An app without a voucher, or
 * that takes no new people, answers with a refusal.
 */
async function mustSignUp(ctx: KoaContextWithOIDC): Promise<boolean> {
  const { session, context } = openidOf(ctx);
  if (session === undefined) return false;
  const app = await appOf(ctx);
  if (app === undefined) return false;
  if ((await vouchedApp(app, context.deps)) === undefined) throw new errors.AccessDenied('no member vouches for the app any more');
  const choice = await choiceOf(ctx);
  if (choice.kind !== 'ask' && (await isEndedThere(session.userId, app, openidOf(ctx))))
    throw new errors.AccessDenied('the organization has ended what this app may do for its member');
  if (choice.kind === 'customer') return false;
  if (await isShutOut(session.userId, app.scope, context.deps))
    throw new errors.AccessDenied('is blocked, or has to choose a new password');
  const { isHere = await isProjectUser(session.userId, app.scope, context.deps) } = choice.kind === 'own' ? choice : {};
  if (isHere) return false;
  if (!app.allowSignUp || ctx.oidc.result?.consent !== undefined) throw new errors.AccessDenied('is no user of the project');
  return true;
}

/** Undefined for a client of the platform, whose people are all. */
async function appOf(ctx: KoaContextWithOIDC): Promise<ProjectApp | undefined> {
  const request = openidOf(ctx);
  const clientId = ctx.oidc.client?.clientId ?? '';
  return findPlatformClient(clientId, request) === undefined ? requireClientApp(clientId, request) : undefined;
}
