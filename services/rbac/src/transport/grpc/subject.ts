import { failures, reasons } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import { type ParsedScope, parseScope, type Scope, serviceTenants, tenants, tokenTenants } from '@tessera/kernel/scope';
import type * as wire from '@tessera/proto/types/rbac.v1';
import type { ActingParty } from '../../domain/delegation.ts';
import type { Subject } from '../../domain/subject.ts';

const types = ['session', 'apiKey', 'projectApp', 'serviceAccount'] as const;
const unauthenticated: Subject = Object.freeze({ type: 'session', userId: '' });

/**
 * A malformed subject counts as unauthenticated: it is missing, its type is unknown, or its user or
 * role is no id.
 */
export function readSubject(subject: wire.Subject | undefined): Subject {
  if (subject === undefined) return unauthenticated;
  const {
    type,
    userId,
    tokenScope,
    scopes,
    roleId = '',
    actsInGrants,
    acr,
    authTime,
    connection,
    within,
    secondFactorIn,
    delegation,
  } = subject;
  const known = types.find((name) => name === type);
  if (known === undefined || !isId(userId) || (roleId !== '' && !isId(roleId))) return unauthenticated;
  const actors = delegation?.actors.map(readActor);
  if (actors?.includes(undefined)) return unauthenticated;
  if (actors?.some((actor) => actor?.support !== undefined) && (known !== 'session' || actors.length !== 1)) return unauthenticated;
  const bound = known === 'serviceAccount' ? serviceTenants : tokenTenants;
  const tenant = tokenScope && bound.find((name) => name === tokenScope.tenant);
  return {
    type: known,
    userId,
    scopes,
    roleId: roleId === '' ? undefined : roleId,
    ...(actsInGrants === true && known === 'apiKey' && roleId !== '' ? { actsInGrants } : {}),
    acr: known === 'session' ? acr : undefined,
    authTime,
    connection: known === 'session' ? connection : undefined,
    within: known === 'session' ? within : undefined,
    secondFactorIn: known === 'session' ? secondFactorIn : undefined,
    tokenScope: tokenScope !== undefined && tenant !== undefined ? { tenant, id: tokenScope.id } : undefined,
    ...(actors === undefined ? {} : { actors: actors.filter((actor) => actor !== undefined) }),
  };
}

/** An app or a supporter, as a verified token names it. Undefined for anything else. */
function readActor({ type, id, clientId, roleId, place, support }: wire.Actor): ActingParty | undefined {
  if (type === 'supporter') return readSupporter(id, place, support);
  if (type !== 'app' || !isId(id)) return undefined;
  if (roleId === undefined) return { type, id, clientId };
  const scope = place === undefined ? undefined : readAskedScope(place);
  return scope !== undefined && isId(roleId) ? { type, id, clientId, roleId, place: scope } : undefined;
}

function readSupporter(id: string, place: wire.Actor['place'], support: wire.Actor['support']): ActingParty | undefined {
  const project = place && readAskedScope(place);
  if (!isId(id) || project?.tenant !== 'organizationProject' || support === undefined || !isId(support.organizationId)) return undefined;
  const { organizationId, mayWrite, mayExport } = support;
  return { type: 'user', id, support: { project, organizationId, mayWrite, mayExport } };
}

/**
 * The scope of a check: undefined (the token's own) for an empty one, and an invalid scope for an
 * unknown tenant.
 */
export function readAskedScope({ tenant, id }: wire.Scope = { tenant: '', id: '' }): Scope | undefined {
  return tenant === '' && id === ''
    ? undefined
    : { tenant: tenants.find((name) => name === tenant) ?? 'account', id: tenants.some((name) => name === tenant) ? id : '' };
}

/** The scope of an administrative call; a malformed one is refused. */
export function readScope({ tenant, id }: wire.Scope): ParsedScope {
  const known = tenants.find((name) => name === tenant);
  if (known === undefined) throw failures.validation('scope.tenant', reasons.oneOf(tenants));
  return parseScope({ tenant: known, id });
}
