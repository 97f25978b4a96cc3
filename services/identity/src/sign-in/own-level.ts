/**
 * What an organization's provider alone has shown is worth inside that organization. Elsewhere a
 * person who has ways of their own has not proven anew who they are.
 */
import type { Reader } from '../ground/storage/reader.ts';
import { findConnection } from './storage/connections.ts';
import type { SignedInSession } from './storage/sessions.ts';

type Level = Pick<SignedInSession, 'amr' | 'connectionId'>;

/** Whether the session shows the person to apps of one of these organizations. */
export async function isOwnLevel({ amr, connectionId }: Level, organizationIds: readonly string[], reader: Reader): Promise<boolean> {
  if (!amr.includes('org')) return true;
  const connection = connectionId === null ? undefined : await findConnection(reader, connectionId);
  return connection !== undefined && organizationIds.includes(connection.organizationId);
}
