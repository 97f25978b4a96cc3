/** Refusals of a provider leave audit rows, once the client is known. */
import type { EventEmitter } from 'node:events';
import { parseScope } from '@tessera/kernel/scope';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { auditRefusal } from '../../ground/transact.ts';
import { findPlatformClient } from './clients.ts';
import { logOf, placeOf } from './organizations.ts';
import { type OpenidRequest, openidOf } from './request.ts';

const events = [
  ...(['authorization.error', 'grant.error', 'userinfo.error', 'introspection.error', 'revocation.error'] as const),
  ...(['pushed_authorization_request.error', 'device_authorization.error', 'device_resume.error', 'end_session.error'] as const),
];

export function auditErrorsOf(provider: Provider): void {
  // Koa's own types of events know two names only.
  const emitter: EventEmitter = provider;
  for (const event of events) emitter.on(event, (ctx: KoaContextWithOIDC, error: Error) => auditError(event, ctx, error));
  emitter.on('server_error', (ctx: KoaContextWithOIDC, error: Error) => {
    openidOf(ctx).context.deps.logger.error({ err: error }, 'an OpenID request failed');
  });
}

/** A device that waits for its person is refused every few seconds. */
const isWaiting: ReadonlySet<string> = new Set(['authorization_pending', 'slow_down']);

/**
 * A request that names no client of ours leaves no row, because a row is kept for months. Client
 * ids are public: one that proves nothing more leaves one row a minute and client,
 * with their count.
 */
export function auditError(event: (typeof events)[number], ctx: KoaContextWithOIDC, error: Error): void {
  const request = openidOf(ctx);
  const { context, apps } = request;
  const { oidc } = ctx;
  const clientId = oidc.client?.clientId ?? '';
  const app = apps.get(clientId);
  const own = findPlatformClient(clientId, request);
  const userId = oidc.session?.accountId ?? oidc.account?.accountId;
  if ((app === undefined && own === undefined) || isWaiting.has(error.message)) return;
  const action = `openid.${event.replace('.error', '')}`;
  const common = { reason: reasonOf(error), ...addressOf(ctx, error) };
  const write = async (count: number, now: Date) => {
    const named = userId !== undefined && (await isOwners(userId, app, error, request)) ? { userId } : {};
    const detail = { ...common, ...named, ...(count === 1 ? {} : { count }) };
    const entry =
      app === undefined
        ? { targetType: 'OpenidClient', detail: { ...detail, clientId } }
        : {
            ...({ targetType: 'ProjectApp', targetId: app.id, detail: { name: app.name, ...detail } } as const),
            // The log of the organization that the person signs in for, once it is known.
            scope: parseScope(placeOf(app, request.organizationId)),
          };
    return auditRefusal({ ...context, now }, { operation: 'openid', action, code: error.message.slice(0, 100), entry });
  };
  const { requestCounts, background } = context.deps;
  const count = isProven(ctx, userId) ? 1 : requestCounts.count(`openid ${clientId}`, context.now, write);
  if (count !== undefined) background.run('audit of a refusal', () => write(count, context.now));
}

/**
 * Whether the log that has the row may name the person: the app's owner learns who was refused
 * altogether, and not which people of its customers sign in and are asked for something on the way.
 */
async function isOwners(
  userId: string,
  app: ProjectApp | undefined,
  { message }: Error,
  { organizationId, context }: OpenidRequest,
): Promise<boolean> {
  if (app === undefined || organizationId !== undefined || message === 'access_denied') return true;
  return (await logOf(userId, app, context.deps).catch(() => undefined))?.id === app.scope.id;
}

/**
 * The address that was sent, when it is the fault: the developer compares it with the registered
 * ones. Parts that may be secret are left out.
 */
function addressOf({ oidc }: KoaContextWithOIDC, error: Error): { readonly redirectUri?: string } {
  const sent = oidc.params?.['redirect_uri'];
  if (error.message !== 'invalid_redirect_uri' || typeof sent !== 'string') return {};
  const url = URL.parse(sent);
  return { redirectUri: (url === null ? sent.replace(/[?#].*$/s, '') : `${url.protocol}//${url.host}${url.pathname}`).slice(0, 300) };
}

/** By a session, by what was issued to the client before, or by the client's own authentication. */
function isProven(ctx: KoaContextWithOIDC, userId: string | undefined): boolean {
  const { Grant, RefreshToken, AuthorizationCode, DeviceCode } = ctx.oidc.entities;
  const issued = Grant ?? RefreshToken ?? AuthorizationCode ?? DeviceCode;
  return userId !== undefined || issued !== undefined || openidOf(ctx).isClientProven === true;
}

function reasonOf(error: Error): string {
  const { error_description: description } = error as Error & { readonly error_description?: string };
  return (description ?? error.message).slice(0, 200);
}
