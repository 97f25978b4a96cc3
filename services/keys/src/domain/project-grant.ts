import { failures } from '@tessera/kernel/errors';
import type { ProjectScope } from './signing-scope.ts';

/** A project of one organization that another one, the customer, uses (docs/decisions/018). */
export type ProjectGrant = {
  readonly organizationId: string;
  readonly projectId: string;
  readonly ownerOrganizationId: string;
  readonly isActive: boolean;
  readonly isEnded: boolean;
};

/** `isSuspended`: the operator has suspended the customer or the owner. */
export type GrantState = ProjectGrant & { readonly isSuspended: boolean };

/** Whose key signs for the customer. */
export function ownerScopeOf({ ownerOrganizationId, projectId }: Pick<ProjectGrant, 'ownerOrganizationId' | 'projectId'>): ProjectScope {
  return { tenant: 'organizationProject', id: `${ownerOrganizationId}:${projectId}` };
}

/** Where the customer uses the project. */
export function usedScopeOf({ organizationId, projectId }: Pick<ProjectGrant, 'organizationId' | 'projectId'>): ProjectScope {
  return { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
}

/** The two ids of a scope; undefined for one that is no organization's. */
export function pairOf({ tenant, id }: { readonly tenant: string; readonly id: string }) {
  const [organizationId = '', projectId = ''] = id.split(':');
  return tenant === 'organizationProject' ? { organizationId, projectId } : undefined;
}

/** Whether the customer may act in the project now. */
export function isServed({ isActive, isSuspended }: Pick<GrantState, 'isActive' | 'isSuspended'>): boolean {
  return isActive && !isSuspended;
}

/** Refuses in the words of a decision in the grant's scope. */
export function assertActive({
  isActive,
  isEnded,
  isSuspended,
}: Omit<GrantState, 'organizationId' | 'projectId' | 'ownerOrganizationId'>): void {
  if (!isActive) throw failures.demanded({ reason: isEnded ? 'GRANT_ENDED' : 'GRANT_SUSPENDED' }) ?? failures.forbidden();
  if (isSuspended) throw failures.tenantSuspended();
}
