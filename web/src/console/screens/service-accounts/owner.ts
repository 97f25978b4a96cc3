/** Whose service accounts a screen shows: an organization’s, an account’s or the platform’s. */
import type { Input } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { useRights } from '../../base/rights.ts';
import { pathOf, pathOfPlatform, scopeOf, usePlace } from '../../base/scope.ts';
import type { NewCredential, Proof, Sent, ServiceAccount } from './account.ts';

export type ServiceScope = Input<'listServiceAccounts'>['scope'];
type Asked = Omit<Input<'listServiceAccounts'>, 'scope'>;
type Call = Parameters<typeof tessera.updateServiceAccount>[1];

export type Owner = {
  readonly kind: 'organization' | 'account' | 'platform';
  /** For the names of queries and drafts. */
  readonly id: string;
  /** Undefined for the platform. */
  readonly scope: ServiceScope | undefined;
  readonly path: (id?: string) => string;
  readonly may: (action: 'Create' | 'Update' | 'Delete') => boolean;
  readonly list: (asked: Asked) => Promise<{ readonly items: readonly ServiceAccount[]; readonly totalCount: number }>;
  readonly read: (id: string) => Promise<ServiceAccount>;
  readonly create: (fields: Sent) => Promise<ServiceAccount>;
  readonly update: (id: string, fields: Sent, call: Call) => Promise<unknown>;
  readonly remove: (id: string) => Promise<unknown>;
  readonly addCredential: (id: string, proof: Proof) => Promise<NewCredential>;
  readonly removeCredential: (id: string, credentialId: string) => Promise<unknown>;
};

function ofScope(
  scope: ServiceScope,
): Pick<Owner, 'list' | 'read' | 'create' | 'update' | 'remove' | 'addCredential' | 'removeCredential'> {
  return {
    list: (asked) => tessera.listServiceAccounts({ scope, ...asked }),
    read: (id) => tessera.getServiceAccount({ scope, id }),
    create: (fields) => tessera.createServiceAccount({ scope, ...fields }),
    update: (id, fields, call) => tessera.updateServiceAccount({ scope, id, ...fields }, call),
    remove: (id) => tessera.deleteServiceAccount({ scope, id }),
    addCredential: (id, proof) => tessera.createServiceAccountCredential({ scope, id, ...proof }),
    removeCredential: (id, credentialId) => tessera.deleteServiceAccountCredential({ scope, id, credentialId }),
  };
}

/** Their role is always Provisioner, and they do nothing that needs a fresh sign-in. */
const ofPlatform: Owner = {
  kind: 'platform',
  id: 'platform',
  scope: undefined,
  path: (id = '') => pathOfPlatform(id === '' ? 'service-accounts' : `service-accounts/${id}`),
  may: () => true,
  list: (asked) => tessera.listPlatformServiceAccounts(asked),
  read: (id) => tessera.getPlatformServiceAccount({ id }),
  create: ({ name, description, allowedNetworks }) => tessera.createPlatformServiceAccount({ name, description, allowedNetworks }),
  update: (id, { name, description, allowedNetworks }, call) =>
    tessera.updatePlatformServiceAccount({ id, name, description, allowedNetworks }, call),
  remove: (id) => tessera.deletePlatformServiceAccount({ id }),
  addCredential: (id, proof) => tessera.createPlatformServiceAccountCredential({ id, ...proof }),
  removeCredential: (id, credentialId) => tessera.deletePlatformServiceAccountCredential({ id, credentialId }),
};

/** By the address: outside of all places it is the area of the platform. */
export function useOwner(): Owner {
  const place = usePlace();
  const { may } = useRights();
  if (place === undefined) return ofPlatform;
  const { tenant, id } = scopeOf(place);
  if (tenant !== 'organization' && tenant !== 'account') throw new Error('This screen belongs to an organization or an account');
  return {
    kind: tenant,
    id,
    scope: { tenant, id },
    path: (account = '') => pathOf(place, account === '' ? 'service-accounts' : `service-accounts/${account}`),
    may: (action) => may(`ServiceAccount:${action}`),
    ...ofScope({ tenant, id }),
  };
}
