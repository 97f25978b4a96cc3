/** Whose a proven address is. A trigger writes the table (migration 115). */
import { type Params, statement } from '@tessera/kernel/postgres';
import { emailProvider } from '../../ground/domain/people.ts';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export type Prover = { readonly userId: string; readonly name: string; readonly isDisputed: boolean };

/** Of people who are not deleted: one, or several who had proven it before decision 15. */
export async function findProvers(reader: Reader, address: string): Promise<Prover[]> {
  return reader.query(proversOf, { address });
}
const proversOf = statement('identity_provers_of_address', (p: Params<{ address: string }>) =>
  query
    .selectFrom('proven_addresses as p')
    .innerJoin('users as u', 'u.id', 'p.userId')
    .where('p.address', '=', p.address)
    .select(['p.userId', 'u.name', 'p.isDisputed']),
);

type Addresses = Params<{ readonly addresses: readonly string[] }>;
const findProven = statement('identity_find_proven_addresses', ({ addresses }: Addresses) =>
  query
    .selectFrom('proven_addresses')
    .where('address', '=', ({ fn }) => fn.any(addresses))
    .select('address'),
);
const findUnproven = statement('identity_find_unproven_addresses', ({ addresses }: Addresses) =>
  query
    .selectFrom('authentication_methods')
    .where('provider', '=', emailProvider)
    .where('providerId', '=', ({ fn }) => fn.any(addresses))
    .where('isVerified', '=', false)
    .select('providerId as address'),
);

/** Of these addresses those that a person has proven, and those of e-mail methods without proof. */
export async function sortAddresses(
  reader: Reader,
  addresses: readonly string[],
): Promise<Readonly<Record<'proven' | 'unproven', ReadonlySet<string>>>> {
  if (addresses.length === 0) return { proven: new Set(), unproven: new Set() };
  const [proven, unproven] = [await reader.query(findProven, { addresses }), await reader.query(findUnproven, { addresses })];
  return { proven: new Set(proven.map(({ address }) => address)), unproven: new Set(unproven.map(({ address }) => address ?? '')) };
}

/** Addresses that several people have proven, which the operator decides (docs/operating.md). */
export async function countDisputedAddresses(reader: Reader): Promise<number> {
  const disputed = query.selectFrom('proven_addresses').where('isDisputed', '=', true);
  const [row] = await reader.query(disputed.select(({ fn }) => fn.count<number>('address').distinct().as('count')));
  return Number(row?.count ?? 0);
}
