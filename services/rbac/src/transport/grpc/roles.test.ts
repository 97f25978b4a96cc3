import { afterAll } from '@jest/globals';
import { describeRolesContract } from '../../../../../proto/rbac/v1/testing/roles-contract.ts';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

describeRolesContract({ roles: () => stack.clientOf(0).roles, createOrganization: () => stack.makeOrganization() });
