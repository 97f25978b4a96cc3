import { afterAll } from '@jest/globals';
import { describeIdentityContract } from '../../../../../proto/identity/v1/testing/identity-contract.ts';
import { registered, startIdentity } from '../../testing/service.ts';

const service = await startIdentity();
afterAll(() => service.stop());

describeIdentityContract({ identity: () => service.grpc, register: () => registered(service, { verified: false }) });
