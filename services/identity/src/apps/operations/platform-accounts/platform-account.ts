/** Service accounts of the platform: what a Provisioner is to platform administrators. */
import { failures } from '@tessera/kernel/errors';
import { Id } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ServiceScope } from '@tessera/kernel/scope';
import Type, { type Static } from 'typebox';
import { type ServiceAccount as Account, lockServiceAccount } from '../../storage/service-accounts.ts';
import { ServiceAccount, type Shown, serviceFields, toCredential } from '../service-accounts/service-account.ts';

export const platform: ServiceScope = { tenant: 'platform', id: '' };

/** The only role above the tenants: makes organizations, restricts and lists them, and no more. */
const roles = ['Provisioner'] as const;
const RoleIds = Type.Array(Type.Enum([...roles], { graphqlType: 'ID' }), { minItems: 1, maxItems: 1 });

export const PlatformServiceAccount = Type.Object({ ...ServiceAccount.properties, roleIds: RoleIds });

/** What an administrator may set. An update keeps omitted fields. */
export const platformFields = {
  name: serviceFields.name,
  description: Type.Optional(serviceFields.description),
  roleIds: Type.Optional(RoleIds),
  allowedNetworks: Type.Optional(serviceFields.allowedNetworks),
};

export const fresh = { minutes: 10 } as const;
export const byId = { id: Id };

export function toPlatformAccount({ account, credentials }: Shown): Static<typeof PlatformServiceAccount> {
  const { scope: _scope, generation: _generation, elevated, allowedNetworks, ...shown } = account;
  return {
    ...shown,
    clientId: account.id,
    roleIds: [...roles],
    elevated: [...elevated],
    allowedNetworks: [...allowedNetworks],
    credentials: credentials.map(toCredential),
  };
}

/** Locked until the commit. 404 when there is none. */
export async function lockPlatformAccount(tx: Transaction, id: string): Promise<Account> {
  const account = await lockServiceAccount(tx, platform, id);
  if (account === undefined) throw failures.notFound('ServiceAccount');
  return account;
}
