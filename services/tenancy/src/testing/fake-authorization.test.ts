import { newId } from '@tessera/kernel/ids';
import {
  type ContractDecide,
  describeDecisionsContract,
  describeMatrixContract,
} from '../../../../proto/rbac/v1/testing/authorization-contract.ts';
import { operations } from '../operations/index.ts';
import { FakeRbac } from './fake-rbac.ts';

const rbac = new FakeRbac();
const decide: ContractDecide = async (asked) => {
  const checks = asked.map(({ userId, scope, permission }) => {
    const [resource = '', action = ''] = permission.split(':');
    return {
      subject: { type: 'session' as const, userId, tokenId: newId() },
      scope: scope as { tenant: 'account'; id: string },
      resource,
      action,
    };
  });
  return (await rbac.authorizer.check(checks)).map(({ authorized }) => authorized);
};

async function createOrganization() {
  const [organizationId, ownerId] = [newId(), newId()];
  rbac.receive({ type: 'organization.created', payload: { organizationId, ownerId } });
  const addMember = async (role: 'Admin' | 'Dev' | 'Viewer') => {
    const userId = newId();
    rbac.receive({ type: 'member.added', payload: { organizationId, userId, roleId: rbac.roleId(organizationId, role) } });
    return userId;
  };
  return { scope: { tenant: 'organization', id: organizationId }, ownerId, addMember };
}

async function createAccount(type: 'personal' | 'organization') {
  const [accountId, ownerId] = [newId(), newId()];
  rbac.receive({ type: 'account.created', payload: { accountId, type, ownerId, accounts: [] } });
  return { scope: { tenant: 'account', id: accountId }, ownerId };
}

const permissions = operations.flatMap(({ access }) => (typeof access === 'object' && 'permission' in access ? [access.permission] : []));

describeDecisionsContract(decide, async () => {
  const { scope, addMember } = await createOrganization();
  return { userId: await addMember('Viewer'), scope, held: 'Project:Query', missing: 'Project:Create' };
});
describeMatrixContract({ decide, createOrganization, createAccount }, permissions);
