/** Who is told when something of a tenant needs a decision. */
import type { GrpcClient } from '@tessera/kernel/grpc';
import type { Database } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { findAccounts } from '../storage/accounts.ts';
import { addressesOfPeople } from '../storage/people.ts';

/** The addresses of the Owners of an organization, or of the owner of an account. */
export type AddressesOfOwners = (scope: ParsedScope) => Promise<readonly string[]>;

type Options = { readonly db: Database; readonly authorization: Pick<GrpcClient<'rbac.v1.Authorization'>, 'findSubjects'> };

const mostOwners = 50;

export function createAddressesOfOwners({ db, authorization }: Options): AddressesOfOwners {
  const ownersOf = async ({ organizationId, accountId }: ParsedScope): Promise<readonly string[]> => {
    if (organizationId === undefined) return (await findAccounts(db, [accountId ?? ''])).map(({ ownerId }) => ownerId);
    // Of the built-in roles only the Owner may delete an organization.
    const asked = { type: 'user', scope: { tenant: 'organization', id: organizationId }, resource: 'Organization', action: 'Delete' };
    return (await authorization.findSubjects({ ...asked, targetJson: '', cursor: '', limit: mostOwners })).ids;
  };
  return async (scope) => addressesOfPeople(db, await ownersOf(scope));
}
