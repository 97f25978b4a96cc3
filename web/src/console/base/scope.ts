import { useParams } from '@tanstack/react-router';
import type { Input } from '@tessera/client';

export type Scope = Input<'listRoles'>['scope'];
export type OrganizationScope = { readonly tenant: 'organization'; readonly id: string };
export type ProjectScope = { readonly tenant: 'accountProject' | 'organizationProject'; readonly id: string };
export type ParentScope = { readonly tenant: 'account' | 'organization'; readonly id: string };

/** Where the address is: in an account or an organization, perhaps in one of its projects. */
export type Place = { readonly kind: 'acc' | 'org'; readonly parentId: string; readonly projectId?: string | undefined };

export type Kind = 'account' | 'organization' | 'project';

/** The path of a place, or of an area in it. */
export function pathOf({ kind, parentId, projectId }: Place, area = ''): string {
  const place = projectId === undefined ? `/console/${kind}/${parentId}` : `/console/${kind}/${parentId}/prj/${projectId}`;
  return area === '' ? place : `${place}/${area}`;
}

export function parentScopeOf({ kind, parentId }: Place): ParentScope {
  return { tenant: kind === 'org' ? 'organization' : 'account', id: parentId };
}

export function scopeOf(place: Place): Scope {
  const { kind, parentId, projectId } = place;
  if (projectId === undefined) return parentScopeOf(place);
  return { tenant: kind === 'org' ? 'organizationProject' : 'accountProject', id: `${parentId}:${projectId}` };
}

/** The issuer of a project's tokens. */
export function issuerOf({ kind, parentId, projectId }: Place): string {
  return `${window.location.origin}/${kind}/${parentId}/prj/${projectId}`;
}

/** The place of the address; undefined outside of all, as in one's own profile. */
export function usePlace(): Place | undefined {
  return placeOf(useParams({ strict: false }));
}

export function placeOf(params: object): Place | undefined {
  const { kind, parentId, projectId } = params as Readonly<Record<string, string | undefined>>;
  if ((kind !== 'acc' && kind !== 'org') || parentId === undefined) return undefined;
  return { kind, parentId, projectId };
}

export function usePlaceHere(): Place {
  const place = usePlace();
  if (place === undefined) throw new Error('This screen belongs to a place');
  return place;
}

export function useScope(): Scope {
  return scopeOf(usePlaceHere());
}

export function useOrganization(): OrganizationScope {
  const { tenant, id } = useScope();
  if (tenant !== 'organization') throw new Error('This screen belongs to an organization');
  return { tenant, id };
}

export function useProject(): ProjectScope {
  const { tenant, id } = useScope();
  if (tenant !== 'accountProject' && tenant !== 'organizationProject') throw new Error('This screen belongs to a project');
  return { tenant, id };
}

/** Only an organization offers its projects to others. */
export function useProduct(): { readonly tenant: 'organizationProject'; readonly id: string } {
  const { tenant, id } = useScope();
  if (tenant !== 'organizationProject') throw new Error('This screen belongs to a project of an organization');
  return { tenant, id };
}

/** Roles, groups, permissions and webhooks exist in organizations and projects only. */
export function useRoleScope(): OrganizationScope | ProjectScope {
  const { tenant, id } = useScope();
  if (tenant === 'account') throw new Error('This screen belongs to an organization or a project');
  return { tenant, id };
}

/** The path of an area of the platform's administrators. */
export function pathOfPlatform(area: string): string {
  return `/console/platform/${area}`;
}

/** What the place is. */
export function kindOf({ kind, projectId }: Place): Kind {
  if (projectId !== undefined) return 'project';
  return kind === 'org' ? 'organization' : 'account';
}
