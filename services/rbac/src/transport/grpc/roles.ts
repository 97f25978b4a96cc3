import { failures, reasons } from '@tessera/kernel/errors';
import { type Call, implement } from '@tessera/kernel/grpc';
import type { UserRest } from '@tessera/proto/events';
import type * as wire from '@tessera/proto/types/rbac.v1';
import type { RbacDeps } from '../../deps.ts';
import { isForMachines } from '../../domain/catalogue.ts';
import { changeMemberRole } from '../../operations/membership/change-member-role.ts';
import { checkGrant } from '../../operations/membership/check-grant.ts';
import { describePerson } from '../../operations/membership/describe-person.ts';
import { endMembership, endMemberships } from '../../operations/membership/end-membership.ts';
import { mapRoles } from '../../operations/membership/map-roles.ts';
import { previewRoles } from '../../operations/membership/preview-roles.ts';
import { restrictions, restrictMember } from '../../operations/membership/restrict-member.ts';
import { setMemberMetadata } from '../../operations/membership/set-member-metadata.ts';
import { setSubjectRoles } from '../../operations/membership/set-subject-roles.ts';
import { memberVersion } from '../../operations/membership/version.ts';
import { countHolders, listMemberRoles, listOwnedOrganizations, listRolesOfUsers, pageHolders } from '../../storage/assignments.ts';
import { listGroupsOf, listRolesOf } from '../../storage/catalogue.ts';
import { findMemberRecords } from '../../storage/member-metadata.ts';
import type { GroupRow, RoleRow } from '../../storage/records.ts';
import { countInScopes } from '../../storage/scope-counts.ts';
import { findUsableRoles } from '../../storage/usable-roles.ts';
import { readScope, readSubject } from './subject.ts';

function summarizeGroup({ id, name, description, metadata, primaryTagId, createdAt, updatedAt }: GroupRow | RoleRow): wire.GroupSummary {
  return {
    id,
    name,
    ...(description === null ? {} : { description }),
    metadataJson: JSON.stringify(metadata),
    createdAt,
    updatedAt,
    ...(primaryTagId === null ? {} : { primaryTagId }),
  };
}

function summarize(role: RoleRow): wire.RoleSummary {
  return {
    ...summarizeGroup(role),
    isBuiltIn: role.isBuiltIn,
    ...(isForMachines(role) && { isForMachines: true }),
    ...(role.rank === null ? {} : { rank: role.rank }),
  };
}

function readMetadata(json: string | undefined): object | undefined {
  if (json === undefined) return undefined;
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw failures.validation('metadata', { en: 'must be an object', de: 'muss ein Objekt sein' });
  return value;
}

/** What identity has written for itself, and gets back with the event. */
function readRest(json: string | undefined): UserRest | undefined {
  return json === undefined ? undefined : JSON.parse(json);
}

function written(auditJson: string | undefined): wire.Changed {
  return auditJson === undefined ? {} : { isAudited: true };
}

/** Before the deadline of the call: the change stands, however long others take to hear of it. */
type Deliver = (eventIds: readonly string[], options: { readonly call: Call }) => Promise<unknown>;

/** rbac.v1.Roles: for the services that own memberships, users and API keys. */
export function rolesService(deps: RbacDeps, deliver: Deliver) {
  const placeOf = async (scope: wire.Scope) => deps.places.resolve(readScope(scope));
  return implement('rbac.v1.Roles', {
    listSubjectRoles: async ({ scope, userIds }) => {
      const parsed = await placeOf(scope);
      const [held, records] = await deps.database.across([parsed], (tx) =>
        Promise.all([listRolesOfUsers(tx, [parsed], userIds), findMemberRecords(tx, parsed, userIds)]),
      );
      const byUser = Map.groupBy(held, ({ ownerId }) => ownerId);
      return {
        subjects: userIds.map((userId) => {
          const { metadata, blockedAt = null } = records.get(userId) ?? {};
          return {
            userId,
            roles: (byUser.get(userId) ?? []).map(summarize),
            metadataJson: JSON.stringify(metadata ?? {}),
            version: memberVersion(byUser.get(userId) ?? [], metadata),
            // A block is one of the organization.
            ...(blockedAt === null ? {} : { blockedAt }),
          };
        }),
      };
    },
    checkGrant: async ({ actor, scope, roleIds, givenTo }) => ({
      verdicts: await checkGrant(deps, { actor: readSubject(actor), scope: await placeOf(scope), roleIds, givenTo }),
    }),
    getRoles: async ({ scope, roleIds }) => {
      const parsed = await placeOf(scope);
      const roles = await deps.database.scoped(parsed, (tx) => findUsableRoles(tx, parsed, roleIds), { readOnly: true });
      return { roles: roles.map(summarize) };
    },
    changeMemberRole: async ({ actor, scope, metadataJson, ...asked }, call) => {
      const metadata = readMetadata(metadataJson);
      const { role, eventIds } = await changeMemberRole(deps, {
        ...asked,
        actor: readSubject(actor),
        scope: await placeOf(scope),
        metadata,
      });
      await deliver(eventIds, { call });
      return { ...summarize(role), ...written(asked.auditJson) };
    },
    endMembership: async ({ actor, scope, ...asked }, call) => {
      await deliver(await endMembership(deps, { ...asked, actor: actor && readSubject(actor), scope: await placeOf(scope) }), { call });
      return written(asked.auditJson);
    },
    endMemberships: async ({ userId, organizationIds }, call) => {
      await deliver(await endMemberships(deps, { userId, organizationIds }), { call });
      return {};
    },
    setSubjectRoles: async ({ actor, scope, metadataJson, restJson, ...asked }, call) => {
      const read = {
        actor: readSubject(actor),
        scope: await placeOf(scope),
        metadata: readMetadata(metadataJson),
        rest: readRest(restJson),
      };
      await deliver(await setSubjectRoles(deps, { ...asked, ...read }), { call });
      return written(asked.auditJson);
    },
    setMemberMetadata: async ({ actor, scope, metadataJson, restJson, ...asked }, call) => {
      const metadata = readMetadata(metadataJson) ?? {};
      const read = { actor: readSubject(actor), scope: await placeOf(scope), metadata, rest: readRest(restJson) };
      await deliver(await setMemberMetadata(deps, { ...asked, ...read }), { call });
      return written(asked.auditJson);
    },
    restrictMember: async ({ actor, scope, userId, kind, auditJson }, call) => {
      const known = restrictions.find((one) => one === kind);
      if (known === undefined) throw failures.validation('kind', reasons.oneOf(restrictions));
      const asked = { actor: readSubject(actor), scope: await placeOf(scope), userId, kind: known, auditJson };
      await deliver(await restrictMember(deps, asked), { call });
      return written(auditJson);
    },
    mapRoles: async ({ scope, ...asked }, call) => {
      const { eventIds, isMember } = await mapRoles(deps, { ...asked, scope: await placeOf(scope) });
      await deliver(eventIds, { call });
      return { isMember };
    },
    previewRoles: async ({ scope, people }) => ({ people: await previewRoles(deps, await placeOf(scope), people) }),
    listScopeRoles: async ({ scopes }) => {
      const found = await listRolesOf(deps.database, await Promise.all(scopes.map(placeOf)));
      return { scopes: found.map((roles) => ({ roles: roles.map(summarize) })) };
    },
    countInScopes: async ({ scopes }) => countInScopes(deps.database, scopes.map(readScope)),
    listScopeGroups: async ({ scopes }) => {
      const found = await listGroupsOf(deps.database, await Promise.all(scopes.map(placeOf)));
      return { scopes: found.map((groups) => ({ groups: groups.map(summarizeGroup) })) };
    },
    describeGrants: async ({ grants }) => {
      const products = [...new Set(grants.map(({ product }) => product.id))];
      const scopes = products.map((id) => readScope({ tenant: 'organizationProject', id }));
      const [roles, counts] = await Promise.all([
        listRolesOf(deps.database, scopes),
        countHolders(
          deps.database,
          grants.map(({ scope }) => scope.id),
        ),
      ]);
      return {
        grants: grants.map(({ scope, product, allRoles, roleIds }) => ({
          memberCount: counts.get(scope.id) ?? 0,
          roles: (roles[products.indexOf(product.id)] ?? [])
            .filter((role) => (allRoles ? role.isGrantable : roleIds.includes(role.id)))
            .map(summarize),
        })),
      };
    },
    listHolders: async ({ scope, after, limit }) => {
      const parsed = await placeOf(scope);
      const { userIds, totalCount } = await pageHolders(deps.database, parsed, { after, limit: Math.min(Math.max(limit, 1), 100) });
      const held = await deps.database.across([parsed], (tx) => listRolesOfUsers(tx, [parsed], userIds));
      const byUser = Map.groupBy(held, ({ ownerId }) => ownerId);
      return {
        totalCount,
        holders: userIds.map((userId) => {
          const roles = byUser.get(userId) ?? [];
          return { userId, roles: roles.map(summarize), metadataJson: '{}', version: memberVersion(roles, undefined) };
        }),
      };
    },
    describePerson: async ({ scope, userId }) => {
      const { roleNames, memberMetadata, grantMetadata } = await describePerson(deps, await placeOf(scope), userId);
      return { roleNames, memberMetadataJson: JSON.stringify(memberMetadata), grantMetadataJson: JSON.stringify(grantMetadata) };
    },
    listMemberRoles: async ({ userId }) => ({ roles: await listMemberRoles(deps.database, userId) }),
    listOwnedOrganizations: async ({ userId }) => ({ organizations: await listOwnedOrganizations(deps.database, userId) }),
  });
}
