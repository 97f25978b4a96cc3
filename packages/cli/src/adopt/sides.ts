/** The two projects of an adoption, and the grant between, as the caller sees them. */
import { type TesseraClient, TesseraError } from '@tessera/client';
import { exitCodes, Failure } from '../failure.ts';
import { isOpen, readGrants, type StandingGrant } from '../manifest/grants.ts';
import { all } from '../pages.ts';

export type ProductScope = { readonly tenant: 'organizationProject'; readonly id: string };
export type Sides = {
  /** The customer's own project, whose people move. */
  readonly source: ProductScope;
  readonly product: ProductScope;
  readonly customer: { readonly tenant: 'organization'; readonly id: string };
  /** Where the customer uses the product. */
  readonly place: ProductScope;
};
export type Role = { readonly id: string; readonly name: string };

function projectScope(text: string, what: string): ProductScope {
  const id = text.replace(/^organizationProject:/, '');
  if (/^[0-9a-f-]{36}:[0-9a-f-]{36}$/.test(id)) return { tenant: 'organizationProject', id };
  throw new Failure(`${what} is <organization>:<project>, as \`tessera projects\` shows it.`, exitCodes.usage);
}

export function sidesOf(from: string, into: string): Sides {
  const [source, product] = [projectScope(from, 'The project to move from'), projectScope(into, '--into')];
  const [customerId = '', ownerId] = [source.id.slice(0, 36), product.id.slice(0, 36)];
  if (customerId === ownerId)
    throw new Failure('Both projects are of one organization, which is in its own project without a grant.', exitCodes.usage);
  const place = { tenant: 'organizationProject', id: `${customerId}:${product.id.slice(37)}` } as const;
  return { source, product, customer: { tenant: 'organization', id: customerId }, place };
}

/** What the owner of the product runs. */
export function createCommand({ customer, product }: Sides): string {
  return `tessera grants create --organization ${customer.id} --scope organizationProject:${product.id}`;
}

/** The caller lacks the right. Other refusals say themselves what to do, as to sign in again. */
export function isRefused(error: unknown): error is TesseraError {
  return error instanceof TesseraError && (error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND');
}

export async function orRefused<Result, Other>(work: Promise<Result>, instead: Other): Promise<Result | Other> {
  return work.catch((error: unknown) => {
    if (isRefused(error)) return instead;
    throw error;
  });
}

export type Seen = { readonly isOwnerSeen: boolean; readonly grant: StandingGrant | undefined };

/** The open grant of the pair, else none. */
export async function findGrant(client: TesseraClient, { product, customer }: Sides): Promise<Seen> {
  const own = await orRefused(readGrants(client, product), undefined);
  const seen = own ?? (await orRefused(all(client.listProjectGrants({ scope: customer, limit: 100 })), []));
  const ofPair = seen.filter(
    ({ organizationId, ownerOrganizationId, projectId }) =>
      organizationId === customer.id && `${ownerOrganizationId}:${projectId}` === product.id,
  );
  return { isOwnerSeen: own !== undefined, grant: ofPair.find(isOpen) };
}

export type Standing = {
  readonly id: string;
  readonly name: string;
  /** The project's own, or in a grant the product's and the customer's. */
  readonly roles: readonly Role[];
  /** All, as a change has to name them. */
  readonly held: readonly string[];
  readonly isMember: boolean;
  readonly hasFacts: boolean;
};

export async function readPeople(client: TesseraClient, scope: ProductScope, ids?: readonly string[]): Promise<Standing[]> {
  const people = await all(client.listUsers({ scope, limit: 100, ...(ids === undefined ? {} : { ids: [...ids] }) }));
  return people.map(({ id, name, roles, memberRole, memberMetadata = {} }) => {
    if (roles === undefined) throw new Failure('You may not see the roles of people there: it takes Role:Query.');
    const own = roles.filter(({ isBuiltIn }) => !isBuiltIn).map((role) => ({ id: role.id, name: role.name }));
    const isMember = memberRole !== null && memberRole !== undefined;
    return { id, name, roles: own, held: roles.map((role) => role.id), isMember, hasFacts: Object.keys(memberMetadata).length > 0 };
  });
}
