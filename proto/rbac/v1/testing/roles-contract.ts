/**
 * What the services that own memberships rely on of rbac.v1.Roles. It runs on the service itself
 * and on each fake of it, so that a fake which drifts away fails.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type * as wire from '../../../generated/rbac.v1.ts';

type Call<Request, Response> = (request: Request) => Promise<Response>;

export type RolesUnderContract = {
  readonly changeMemberRole: Call<wire.ChangeMemberRoleRequest, wire.RoleSummary>;
  readonly checkGrant: Call<wire.CheckGrantRequest, wire.CheckGrantResponse>;
  readonly endMembership: Call<wire.EndMembershipRequest, wire.Changed>;
  readonly endMemberships: Call<wire.EndMembershipsRequest, wire.Empty>;
  readonly getRoles: Call<wire.GetRolesRequest, wire.GetRolesResponse>;
  readonly listOwnedOrganizations: Call<wire.ListOwnedOrganizationsRequest, wire.ListOwnedOrganizationsResponse>;
  readonly listScopeRoles: Call<wire.ListScopesRequest, wire.ListScopeRolesResponse>;
  readonly listSubjectRoles: Call<wire.ListSubjectRolesRequest, wire.ListSubjectRolesResponse>;
  readonly setMemberMetadata: Call<wire.SetMemberMetadataRequest, wire.Changed>;
};

export type ContractOrganization = {
  readonly id: string;
  readonly ownerId: string;
  readonly roleId: (name: 'Owner' | 'Admin' | 'Dev' | 'Viewer') => string;
  /** Returns the id of the new member. */
  readonly addMember: (role: 'Owner' | 'Admin' | 'Dev' | 'Viewer') => Promise<string>;
};

type Subject = { readonly roles: () => RolesUnderContract; readonly createOrganization: () => Promise<ContractOrganization> };

function session(userId: string) {
  return { type: 'session', userId, tokenId: randomUUID(), scopes: [] };
}

function scopeOf({ id }: ContractOrganization) {
  return { tenant: 'organization', id };
}

/** Registers the suite. `roles` is looked up in each test: a service starts after that. */
export function describeRolesContract({ roles, createOrganization }: Subject): void {
  const namesOf = async (organization: ContractOrganization, userId: string) => {
    const { subjects } = await roles().listSubjectRoles({ scope: scopeOf(organization), userIds: [userId] });
    return subjects.flatMap((subject) => subject.roles.map(({ name }) => name));
  };
  const change = (organization: ContractOrganization, actorId: string, userId: string, roleId: string) =>
    roles().changeMemberRole({ actor: session(actorId), scope: scopeOf(organization), userId, roleId });
  const end = (organization: ContractOrganization, userId: string, actorId?: string) =>
    roles().endMembership({ scope: scopeOf(organization), userId, ...(actorId === undefined ? {} : { actor: session(actorId) }) });

  describe('rbac.v1.Roles', () => {
    test('an organization has four built-in roles of people, with ranks, listed by name in the order of the request', async () => {
      const [one, other] = [await createOrganization(), await createOrganization()];
      const { scopes } = await roles().listScopeRoles({ scopes: [scopeOf(other), scopeOf(one)] });
      const admins = scopes.map((scope) => scope.roles[0]?.id);
      expect(admins).toStrictEqual([other.roleId('Admin'), one.roleId('Admin')]);
      const ofPeople = scopes[1]?.roles.filter(({ rank }) => rank !== undefined);
      expect(ofPeople?.map(({ name, rank, isBuiltIn }) => [name, rank, isBuiltIn])).toStrictEqual([
        ['Admin', 2, true],
        ['Dev', 3, true],
        ['Owner', 1, true],
        ['Viewer', 4, true],
      ]);
    });

    test('the roles of subjects come in the order of the request, and a stranger has none', async () => {
      const organization = await createOrganization();
      const viewer = await organization.addMember('Viewer');
      const stranger = randomUUID();
      const userIds = [viewer, stranger, organization.ownerId];
      const { subjects } = await roles().listSubjectRoles({ scope: scopeOf(organization), userIds });
      expect(subjects.map(({ userId, roles: held, metadataJson }) => [userId, held.map(({ name }) => name), metadataJson])).toStrictEqual([
        [viewer, ['Viewer'], '{}'],
        [stranger, [], '{}'],
        [organization.ownerId, ['Owner'], '{}'],
      ]);
    });

    test('only roles of the scope are found by id', async () => {
      const [one, other] = [await createOrganization(), await createOrganization()];
      const roleIds = [one.roleId('Dev'), other.roleId('Dev'), randomUUID()];
      const found = await roles().getRoles({ scope: scopeOf(one), roleIds });
      expect(found.roles.map(({ id }) => id)).toStrictEqual([one.roleId('Dev')]);
    });

    test('verdicts on giving roles come in the order of the request', async () => {
      const organization = await createOrganization();
      const admin = await organization.addMember('Admin');
      const unknown = randomUUID();
      const verdicts = async (userId: string, roleIds: readonly string[]) => {
        const request = { actor: session(userId), scope: scopeOf(organization), roleIds: [...roleIds], givenTo: 'user' };
        return (await roles().checkGrant(request)).verdicts.map(({ roleId, verdict }) => [roleId, verdict]);
      };
      const [owner, own, dev] = [organization.roleId('Owner'), organization.roleId('Admin'), organization.roleId('Dev')];
      expect(await verdicts(organization.ownerId, [dev, unknown, owner])).toStrictEqual([
        [dev, 'allowed'],
        [unknown, 'not-found'],
        [owner, 'allowed'],
      ]);
      expect(await verdicts(admin, [owner, dev, own])).toStrictEqual([
        [owner, 'above-own-rank'],
        [dev, 'allowed'],
        [own, 'above-own-rank'],
      ]);
    });

    test('a member gets the new role in place of the old one, and the answer is that role', async () => {
      const organization = await createOrganization();
      const member = await organization.addMember('Viewer');
      const role = await change(organization, organization.ownerId, member, organization.roleId('Dev'));
      expect([role.id, role.name, role.rank]).toStrictEqual([organization.roleId('Dev'), 'Dev', 3]);
      expect(await namesOf(organization, member)).toStrictEqual(['Dev']);
    });

    test('members change those below them, to roles below their own, and nothing else happens', async () => {
      const organization = await createOrganization();
      const [admin, other, viewer] = [
        await organization.addMember('Admin'),
        await organization.addMember('Admin'),
        await organization.addMember('Viewer'),
      ];
      expect((await change(organization, admin, viewer, organization.roleId('Dev'))).name).toBe('Dev');
      for (const [userId, role] of [
        [viewer, 'Admin'],
        [other, 'Viewer'],
        [organization.ownerId, 'Viewer'],
      ] as const)
        await expect(change(organization, admin, userId, organization.roleId(role))).rejects.toMatchObject({ kind: 'forbidden' });
      await expect(end(organization, other, admin)).rejects.toMatchObject({ kind: 'forbidden' });
      expect([await namesOf(organization, viewer), await namesOf(organization, other)]).toStrictEqual([['Dev'], ['Admin']]);
    });

    test('a role of another organization is not found', async () => {
      const [one, other] = [await createOrganization(), await createOrganization()];
      const member = await one.addMember('Viewer');
      await expect(change(one, one.ownerId, member, other.roleId('Dev'))).rejects.toMatchObject({ kind: 'not-found' });
    });

    test('the last Owner is neither demoted nor removed, and does not leave', async () => {
      const organization = await createOrganization();
      const { ownerId } = organization;
      const conflict = { kind: 'conflict', key: 'errors.rbac.lastOwner' };
      await expect(change(organization, ownerId, ownerId, organization.roleId('Viewer'))).rejects.toMatchObject(conflict);
      await expect(end(organization, ownerId)).rejects.toMatchObject(conflict);
      const second = await organization.addMember('Owner');
      await end(organization, ownerId);
      expect([await namesOf(organization, ownerId), await namesOf(organization, second)]).toStrictEqual([[], ['Owner']]);
    });

    test('a member who leaves or is removed has no role any more', async () => {
      const organization = await createOrganization();
      const [leaving, removed] = [await organization.addMember('Dev'), await organization.addMember('Dev')];
      await end(organization, leaving);
      await end(organization, removed, organization.ownerId);
      expect([await namesOf(organization, leaving), await namesOf(organization, removed)]).toStrictEqual([[], []]);
    });

    test('who leaves several organizations leaves all of them, or none where they are the last Owner of one', async () => {
      const [owned, joined] = [await createOrganization(), await createOrganization()];
      const userId = await joined.addMember('Dev');
      const both = await owned.addMember('Owner');
      await end(owned, owned.ownerId);
      await expect(roles().endMemberships({ userId: both, organizationIds: [joined.id, owned.id] })).rejects.toMatchObject({
        kind: 'conflict',
        key: 'errors.rbac.lastOwner',
      });
      expect(await namesOf(owned, both)).toStrictEqual(['Owner']);
      await roles().endMemberships({ userId, organizationIds: [joined.id] });
      expect(await namesOf(joined, userId)).toStrictEqual([]);
    });

    test('owned organizations come with the number of their Owners', async () => {
      const organization = await createOrganization();
      const second = await organization.addMember('Owner');
      const dev = await organization.addMember('Dev');
      const owned = async (userId: string) => (await roles().listOwnedOrganizations({ userId })).organizations;
      expect(await owned(second)).toStrictEqual([{ organizationId: organization.id, ownerCount: 2 }]);
      expect(await owned(dev)).toStrictEqual([]);
    });

    test('what managers record of a member is read back, and changes its version', async () => {
      const organization = await createOrganization();
      const member = await organization.addMember('Dev');
      const read = async () => {
        const { subjects } = await roles().listSubjectRoles({ scope: scopeOf(organization), userIds: [member] });
        return subjects[0];
      };
      const before = await read();
      await roles().setMemberMetadata({
        actor: session(organization.ownerId),
        scope: scopeOf(organization),
        userId: member,
        metadataJson: '{"team":"blue"}',
      });
      const after = await read();
      expect([before?.metadataJson, after?.metadataJson]).toStrictEqual(['{}', '{"team":"blue"}']);
      expect(after?.version).not.toBe(before?.version);
    });
  });
}
