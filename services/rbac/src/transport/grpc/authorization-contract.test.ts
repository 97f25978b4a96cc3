import { afterAll } from '@jest/globals';
import {
  decideBy,
  describeDecisionsContract,
  describeMatrixContract,
} from '../../../../../proto/rbac/v1/testing/authorization-contract.ts';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

const decide = decideBy(() => stack.clientOf(0).authorization);

describeDecisionsContract(decide, async () => {
  const { scope, addMember } = await stack.makeOrganization();
  return { userId: await addMember('Viewer'), scope, held: 'Project:Query', missing: 'Project:Create' };
});
describeMatrixContract({ decide, createOrganization: stack.makeOrganization, createAccount: stack.makeAccount }, []);
