import { afterAll } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { describeInboxContract } from '../../../../../proto/events/v1/testing/inbox-contract.ts';
import { describeIdentityContract } from '../../../../../proto/identity/v1/testing/identity-contract.ts';
import { describeRevocationsContract } from '../../../../../proto/revocation/v1/testing/revocations-contract.ts';
import { claimsOf, registered, startIdentity } from '../../testing/service.ts';

const service = await startIdentity();
afterAll(() => service.stop());

describeIdentityContract({ identity: () => service.grpc, register: () => registered(service, { verified: false }) });

describeInboxContract({
  inbox: () => service.inbox,
  producer: 'tenancy',
  makeEvent: () => ({
    type: 'organization.deleted',
    payloadJson: JSON.stringify({ organizationId: newId(), projectIds: [], hard: false }),
  }),
});

describeRevocationsContract({
  revocations: () => service.revocations,
  async revoke() {
    const { accessToken } = await registered(service);
    await service.ask('POST', '/api/me/logout', { token: accessToken });
    return { kind: 'jti', value: String(claimsOf(accessToken).jti) };
  },
});
