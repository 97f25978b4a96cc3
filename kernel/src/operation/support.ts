/**
 * What a supporter may not do who acts as a person of an organization (docs/decisions/038). Asked
 * before the rights, for every operation and transport. rbac asks its half with each decision.
 */
import { failures } from '../errors/index.ts';
import type { ParsedScope } from '../scope/index.ts';
import type { SupportClaims } from '../tokens/index.ts';
import type { OperationContext } from './context.ts';
import type { Operation } from './declaration.ts';

export function assertSupport<Deps>(operation: Operation<Deps>, { actor, scope }: Pick<OperationContext<Deps>, 'actor' | 'scope'>): void {
  const support = actor.kind === 'token' ? actor.claims.support : undefined;
  if (support === undefined || operation.support === 'allowed') return;
  const { access, kind, leaves, freshness, assurance, rest } = operation;
  // Without a permission it is about the person: their account, factors, sessions, consents.
  if (!('permission' in access) || scope === undefined) throw failures.supportForbidden();
  if (!isWithin(support, scope)) throw failures.supportForbidden();
  // The person is not there to confirm it.
  if (freshness !== undefined || assurance !== undefined) throw failures.supportForbidden();
  if (isExport(access.permission, rest) && !support.mayExport) throw failures.supportNoExport();
  if (kind === 'query') return;
  if (!support.mayWrite) throw failures.supportReadsOnly();
  if (leaves !== 'nothing') throw failures.supportForbidden();
}

/** The organization, and its use of the project whose supporter it is. */
function isWithin({ organizationId, project }: SupportClaims, { tenant, id }: ParsedScope): boolean {
  if (tenant === 'organization') return id === organizationId;
  return tenant === 'organizationProject' && id === `${organizationId}:${project.id.slice(project.id.indexOf(':') + 1)}`;
}

function isExport(permission: string, rest: Operation<never>['rest']): boolean {
  return /:Export/.test(permission) || ('download' in rest && rest.download !== undefined);
}
