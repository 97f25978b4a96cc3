import { newId } from '@tessera/kernel/ids';
import { describeRolesContract } from '../../../../proto/rbac/v1/testing/roles-contract.ts';
import { FakeRbac } from './fake-rbac.ts';

const rbac = new FakeRbac();

describeRolesContract({
  roles: () => rbac.roles,
  createOrganization: async () => {
    const [id, ownerId] = [newId(), newId()];
    rbac.receive({ type: 'organization.created', payload: { organizationId: id, ownerId } });
    return {
      id,
      ownerId,
      roleId: (name) => rbac.roleId(id, name),
      addMember: async (role) => {
        const userId = newId();
        rbac.receive({ type: 'member.added', payload: { organizationId: id, userId, roleId: rbac.roleId(id, role) } });
        return userId;
      },
    };
  },
});
