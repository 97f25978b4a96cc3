/**
 * What an organization's provider alone has shown is worth inside that organization. Elsewhere a
 * person who has ways of their own has not proven anew who they are.
 */
import { linkedByProvider, secondFactorOfProvider } from '@tessera/kernel/authorization';
import type { Reader } from '../ground/storage/reader.ts';
import { findConnection } from './storage/connections.ts';
import type { SignedInSession } from './storage/sessions.ts';

type Level = Pick<SignedInSession, 'amr' | 'connectionId'>;

/** Whether the session shows the person to apps of one of these organizations. */
export async function isOwnLevel({ amr, connectionId }: Level, organizationIds: readonly string[], reader: Reader): Promise<boolean> {
  if (!amr.includes('org')) return true;
  const organizationId = await organizationBy(connectionId, reader);
  return organizationId !== undefined && organizationIds.includes(organizationId);
}

/**
 * Whether the session may sign in for this organization. One whose provider has linked the person
 * without their word opens that organization alone (decision 23, path 3).
 */
export async function isWithinReach({ amr, connectionId }: Level, organizationId: string | undefined, reader: Reader): Promise<boolean> {
  if (!amr.includes(linkedByProvider)) return true;
  return organizationId !== undefined && (await organizationBy(connectionId, reader)) === organizationId;
}

/** The organization whose provider has asked for a second factor; there it counts, nowhere else. */
export async function secondFactorIn({ amr, connectionId }: Level, reader: Reader): Promise<string | undefined> {
  return amr.includes(secondFactorOfProvider) ? organizationBy(connectionId, reader) : undefined;
}

async function organizationBy(connectionId: string | null, reader: Reader): Promise<string | undefined> {
  return connectionId === null ? undefined : (await findConnection(reader, connectionId))?.organizationId;
}
