/**
 * By which identity provider a client wants the person to come: `connection`, or the one of the
 * organization that it names by its id. The page leads there; the person's session has to have come
 * by a connection that was named.
 */
import { isId } from '@tessera/kernel/ids';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { Reader } from '../../ground/storage/reader.ts';
import { findActiveConnection, findConnection } from '../../sign-in/storage/connections.ts';
import { openidOf } from './request.ts';

export type Hinted = { readonly id: string; readonly name: string };

/** The same for a foreign, an unknown, a switched off and a malformed one. */
function noConnection(): errors.AccessDenied {
  return new errors.AccessDenied('there is no connection of this id that is switched on');
}

/**
 * The organization of a connection is the one that the person signs in for, so that a connection of
 * another organization leads to a refusal.
 */
export async function readConnection(ctx: KoaContextWithOIDC, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const { context, issuer } = openidOf(ctx);
  const connection = isId(id) ? await findConnection(context.deps.database, id) : undefined;
  if (connection?.status !== 'active' || issuer.scope?.tenant !== 'organizationProject') throw noConnection();
  const { params } = ctx.oidc;
  const organization = params?.['organization'];
  const names = typeof organization === 'string' ? `${organization} ` : '';
  if (params !== undefined) params['organization'] = names + connection.organizationId;
}

/** Whether the session came by another way than the connection that the client names. */
export function cameOtherwise(ctx: KoaContextWithOIDC): boolean {
  const { session } = openidOf(ctx);
  const id = ctx.oidc.params?.['connection'];
  return typeof id === 'string' && session !== undefined && session.connectionId !== id;
}

type Params = { readonly connection?: string | undefined; readonly organization?: string | undefined };

/** Where the page leads first; undefined where the client names none. */
export async function hintedConnection({ connection, organization = '' }: Params, reader: Reader): Promise<Hinted | undefined> {
  const known = connection === undefined ? undefined : await findConnection(reader, connection);
  if (known?.status === 'active') return { id: known.id, name: known.name };
  const ids = organization.split(' ').filter(isId);
  return ids[0] === undefined ? undefined : findActiveConnection(reader, ids[0]);
}
