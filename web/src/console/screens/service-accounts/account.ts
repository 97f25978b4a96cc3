/** What a service account is on its screens: its fields, its state, and what is sent of them. */
import type { Input, Item, Output } from '@tessera/client';
import { isAddressRange } from '@tessera/rules/address-range';
import type { Key } from '../../base/words.ts';

export type ServiceAccount = Item<'listServiceAccounts'>;
export type Credential = ServiceAccount['credentials'][number];
export type NewCredential = Output<'createServiceAccountCredential'>;
/** What is sent of an account, and of a credential. */
export type Sent = Required<Omit<Input<'createServiceAccount'>, 'scope'>>;
export type Proof = Omit<Input<'createServiceAccountCredential'>, 'scope' | 'id'>;
export type Elevated = NonNullable<Input<'createServiceAccount'>['elevated']>[number];

/** The words of each operation; one that the API gains is missed here by the compiler. */
export const elevatedWords: Readonly<Record<Elevated, Key>> = {
  'ApiKey:Create': 'elevated_ApiKey.Create',
  'Connection:Create': 'elevated_Connection.Create',
  'Connection:Update': 'elevated_Connection.Update',
  'ProjectGrant:Delete': 'elevated_ProjectGrant.Delete',
  'ProjectGrant:Update': 'elevated_ProjectGrant.Update',
  'ServiceAccount:Create': 'elevated_ServiceAccount.Create',
  'ServiceAccount:Update': 'elevated_ServiceAccount.Update',
};
const isElevated = (name: string): name is Elevated => Object.hasOwn(elevatedWords, name);
export const elevatable: readonly Elevated[] = Object.keys(elevatedWords).filter(isElevated);

const adminRank = 2;
const devRank = 3;

/** Whether the built-in role of this rank holds an operation (docs/permissions.md). */
export function heldByBuiltIn(operation: Elevated, rank: number): boolean {
  return rank <= adminRank || (rank === devRank && operation === 'ApiKey:Create');
}

export type Fields = {
  readonly name: string;
  readonly description: string;
  readonly roleIds: string[];
  readonly elevated: Elevated[];
  readonly allowedNetworks: string[];
};

export function fieldsOf(account?: ServiceAccount): Fields {
  const { name = '', description = '', roleIds = [], elevated = [], allowedNetworks = [] } = account ?? {};
  return {
    name,
    description: description ?? '',
    roleIds: [...roleIds],
    elevated: elevated.filter(isElevated),
    allowedNetworks: [...allowedNetworks],
  };
}

export function sentOf({ name, description, ...fields }: Fields): Sent {
  return { ...fields, name: name.trim(), description: description.trim() || null };
}

/** The first that is neither an address nor a network. */
export function wrongNetwork(networks: readonly string[]): string | undefined {
  return networks.find((network) => !isAddressRange(network));
}

export type State = 'active' | 'suspended' | 'bare' | 'expired';

export function isExpired({ expiresAt }: Pick<Credential, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs;
}

/** Whether it gets a token now, and why not. */
export function stateOf({ isSuspended, credentials }: Pick<ServiceAccount, 'isSuspended' | 'credentials'>, nowMs: number): State {
  if (isSuspended) return 'suspended';
  if (credentials.length === 0) return 'bare';
  return credentials.every((credential) => isExpired(credential, nowMs)) ? 'expired' : 'active';
}

/** Where a rotation stands: the next credential, and whether the machine has used it. */
export type Rotation = { readonly first: Credential; readonly next?: Credential; readonly isSwitched: boolean };

export function rotationOf(credentials: readonly Credential[]): Rotation | undefined {
  const [first] = credentials.filter(({ type }) => type === 'secret' || type === 'directory');
  const secrets = credentials.filter(({ type }) => type === first?.type);
  const next = secrets.length > 1 ? secrets.at(-1) : undefined;
  if (first === undefined) return undefined;
  return next === undefined ? { first, isSwitched: false } : { first, next, isSwitched: next.lastUsedAt !== null };
}
