import { linkedByProvider, secondFactorOfProvider } from '@tessera/kernel/authorization';
import { connectionOfProvider, isConnection } from '../ground/domain/connection.ts';
import type { Amr } from '../ground/domain/session.ts';
import type { Reader } from '../ground/storage/reader.ts';
import { findConnection, findLink } from './storage/connections.ts';

type Proven = {
  readonly provider: string;
  /** The way to sign in that leads to it. */
  readonly methodId: string;
  /** How the person signed in there, as the provider says it. */
  readonly acr?: string | undefined;
};

/**
 * What a sign-in at a provider counts as, for a person with these ways to sign in. Of an
 * organization's provider it depends on how the link was made, and on what the connection says.
 */
export async function amrOfProvider(
  { provider, methodId, acr }: Proven,
  methods: readonly { readonly provider: string }[],
  reader: Reader,
): Promise<readonly Amr[]> {
  const id = connectionOfProvider(provider);
  if (id === undefined) return ['fed'];
  const [link, connection] = await Promise.all([findLink(reader, methodId), findConnection(reader, id)]);
  const isLinked = link?.madeBy === 'domain';
  const hasOwnWay = methods.some((method) => !isConnection(method.provider));
  return [
    'fed',
    ...(hasOwnWay || isLinked ? (['org'] as const) : []),
    ...(isLinked ? ([linkedByProvider] as const) : []),
    ...(acr !== undefined && connection?.trustedAcr.includes(acr) === true ? ([secondFactorOfProvider] as const) : []),
  ];
}
