/** What an organization's provider is believed beside who its own people are (decisions 23, 31). */
import { linkedByProvider, secondFactorOfProvider } from '@tessera/kernel/authorization';
import type { HandleContext } from '@tessera/kernel/operation';
import type { Amr } from '../../../ground/domain/session.ts';
import { findPerson } from '../../../people/storage/people.ts';
import type { SignInDeps } from '../../deps.ts';
import { tellOwners } from '../../enforcement.ts';
import type { Connection, Trust } from '../../storage/connections.ts';

type Wish = { readonly linkOnProvenDomain?: boolean; readonly trustedAcr?: readonly string[] };

/** An Owner alone decides it. An Admin may take it back. */
export function extendsTrust(known: Trust, { linkOnProvenDomain, trustedAcr = [] }: Wish): boolean {
  return (linkOnProvenDomain === true && !known.linkOnProvenDomain) || trustedAcr.some((value) => !known.trustedAcr.includes(value));
}

/** By which values of `amr` sessions hold what is not believed any more. */
export function withdrawnTrust(before: Trust, after: Trust): Amr[] {
  return [
    ...(before.linkOnProvenDomain && !after.linkOnProvenDomain ? ([linkedByProvider] as const) : []),
    ...(before.trustedAcr.some((value) => !after.trustedAcr.includes(value)) ? ([secondFactorOfProvider] as const) : []),
  ];
}

/** A mail to all Owners: who has decided it, and when. */
export async function tellOwnersOf(
  { organizationId, name }: Connection,
  template: 'connection-believed' | 'connection-changed' | 'connection-enforced' | 'connection-not-enforced',
  { tx, now, actor }: HandleContext<SignInDeps>,
): Promise<void> {
  const person = actor.kind === 'token' ? await findPerson(tx, actor.userId) : undefined;
  const data = {
    connectionName: name,
    personName: person?.name ?? '–',
    at: now.toISOString(),
    path: `/org/${organizationId}/connections`,
  };
  await tellOwners(tx, { organizationId, template, data });
}
