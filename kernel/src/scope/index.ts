import Type from 'typebox';
import { failures } from '../errors/index.ts';
import { isId } from '../ids/index.ts';

export const tenants = ['account', 'organization', 'accountProject', 'organizationProject'] as const;
export type Tenant = (typeof tenants)[number];

export const tokenTenants = ['accountProjectUser', 'organizationProjectUser'] as const;
export type TokenTenant = (typeof tokenTenants)[number];

/** Where a service account belongs; its token is bound to it. The platform has no id. */
export const serviceTenants = ['organization', 'account', 'platform'] as const;
export type ServiceScope = { readonly tenant: (typeof serviceTenants)[number]; readonly id: string };

export type Scope = { readonly tenant: Tenant; readonly id: string };
export type TokenScope = { readonly tenant: TokenTenant; readonly id: string };

type IdName = 'accountId' | 'organizationId' | 'projectId';
type Parsed<Level extends Tenant, Held extends IdName> = { readonly tenant: Level; readonly id: string } & Readonly<
  Record<Held, string> & Partial<Record<Exclude<IdName, Held>, never>>
>;

/** The use of another organization's project: where its own is kept, and the project's scope. */
export type GrantPlace = { readonly placeId: string; readonly product: Scope };
type OwnRoot = { readonly grant?: never };

export type ParsedScope =
  | (Parsed<'account', 'accountId'> & OwnRoot)
  | (Parsed<'organization', 'organizationId'> & OwnRoot)
  | (Parsed<'accountProject', 'accountId' | 'projectId'> & OwnRoot)
  /** `grant`: set by a service that knows that the organization does not own the project. */
  | (Parsed<'organizationProject', 'organizationId' | 'projectId'> & { readonly grant?: GrantPlace });

export const ScopeSchema = Type.Object(
  { tenant: Type.Enum([...tenants]), id: Type.String({ minLength: 36, maxLength: 73 }) },
  {
    additionalProperties: false,
    description: 'account: <accountId>; organization: <orgId>; projects: <accountId|orgId>:<projectId>',
    graphqlType: 'ScopeInput',
  },
);

const oneId = { en: 'must be a UUID', de: 'muss eine UUID sein' };
const twoIds = { en: 'must be two UUIDs joined by a colon', de: 'muss aus zwei UUIDs mit Doppelpunkt bestehen' };

export function parseScope({ tenant, id }: Scope): ParsedScope {
  const colon = id.indexOf(':');
  const first = colon === -1 ? id : id.slice(0, colon);
  const second = colon === -1 ? undefined : id.slice(colon + 1);
  const wantsProject = tenant === 'accountProject' || tenant === 'organizationProject';
  const fits = isId(first) && (wantsProject ? second !== undefined && isId(second) : second === undefined);
  if (!fits) throw failures.validation('scope.id', wantsProject ? twoIds : oneId);
  const projectId = second ?? '';
  switch (tenant) {
    case 'account':
      return { tenant, id, accountId: first };
    case 'organization':
      return { tenant, id, organizationId: first };
    case 'accountProject':
      return { tenant, id, accountId: first, projectId };
    case 'organizationProject':
      return { tenant, id, organizationId: first, projectId };
  }
}

/** The account or organization of a project's scope; undefined for the two top levels. */
export function parentScope(scope: Scope): Scope | undefined {
  const parsed = parseScope(scope);
  if (parsed.tenant === 'accountProject') return { tenant: 'account', id: parsed.accountId };
  if (parsed.tenant === 'organizationProject') return { tenant: 'organization', id: parsed.organizationId };
  return undefined;
}

export function rootId(scope: ParsedScope): string {
  return scope.accountId ?? scope.organizationId;
}

const projectTenant = { accountProjectUser: 'accountProject', organizationProjectUser: 'organizationProject' } as const;

export function isTokenScope(scope: Scope | TokenScope | ServiceScope): scope is TokenScope {
  return scope.tenant === 'accountProjectUser' || scope.tenant === 'organizationProjectUser';
}

/** The project and the user of a token's scope. Throws a validation error when it is malformed. */
export function splitTokenScope({ tenant, id }: TokenScope): { scope: Scope; userId: string } {
  const last = id.lastIndexOf(':');
  const userId = id.slice(last + 1);
  const scope: Scope = { tenant: projectTenant[tenant], id: id.slice(0, Math.max(last, 0)) };
  if (!isId(userId))
    throw failures.validation('scope.id', {
      en: 'must be three UUIDs joined by colons',
      de: 'muss aus drei UUIDs mit Doppelpunkten bestehen',
    });
  parseScope(scope);
  return { scope, userId };
}

export function joinTokenScope(scope: Scope, userId: string): TokenScope {
  if (scope.tenant !== 'accountProject' && scope.tenant !== 'organizationProject')
    throw failures.validation('scope.tenant', { en: 'must be a project', de: 'muss ein Projekt sein' });
  return { tenant: `${scope.tenant}User`, id: `${scope.id}:${userId}` };
}

/**
 * Whether a service account of this place may act in the scope: in its own, and in the projects of
 * its organization. An account's may do nothing inside the organizations.
 */
export function liesIn({ tenant, id }: Scope, place: ServiceScope): boolean {
  if (place.tenant === 'platform') return false;
  if (tenant === place.tenant) return id === place.id;
  return place.tenant === 'organization' && tenant === 'organizationProject' && id.startsWith(`${place.id}:`);
}
