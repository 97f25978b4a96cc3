import { afterAll } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import {
  type ContractDecide,
  describeDecisionsContract,
  describeMatrixContract,
} from '../../../../../proto/rbac/v1/testing/authorization-contract.ts';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

const decide: ContractDecide = async (asked) => {
  const checks = asked.map(({ userId, scope, permission }) => {
    const [resource = '', action = ''] = permission.split(':');
    return { subject: { type: 'session', userId, tokenId: newId(), scopes: [] }, scope, resource, action, targetJson: '', noCache: false };
  });
  const { decisions } = await stack.clientOf(0).authorization.isAuthorizedMany({ checks, explain: false });
  return decisions.map(({ authorized }) => authorized);
};

describeDecisionsContract(decide, async () => {
  const { scope, addMember } = await stack.makeOrganization();
  return { userId: await addMember('Viewer'), scope, held: 'Project:Query', missing: 'Project:Create' };
});
describeMatrixContract({ decide, createOrganization: stack.makeOrganization, createAccount: stack.makeAccount }, []);
