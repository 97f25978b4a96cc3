import { afterAll } from '@jest/globals';
import { connect, serveGrpc } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { describeInboxContract } from '../../../../proto/events/v1/testing/inbox-contract.ts';
import { describeRevocationsContract } from '../../../../proto/revocation/v1/testing/revocations-contract.ts';
import { createPeers } from './service.ts';

const secret = 'a secret that only these tests share';
const { state, services } = createPeers();
const door = await serveGrpc({ listen: '127.0.0.1:0', secret, services });
const common = { url: door.address, secret, self: 'rbac', timeoutMs: 20_000 };
const inbox = connect({ service: 'events.v1.Inbox', ...common });
const revocations = connect({ service: 'revocation.v1.Revocations', ...common });
afterAll(async () => {
  inbox.close();
  revocations.close();
  await door.stop();
});

describeInboxContract({
  inbox: () => inbox,
  producer: 'rbac',
  makeEvent: () => ({ type: 'user.deleted', payloadJson: JSON.stringify({ userId: newId(), hard: false }) }),
});

describeRevocationsContract({
  revocations: () => revocations,
  async revoke() {
    const revoked = { kind: 'jti', value: newId() };
    const until = new Date(Date.now() + 900_000).toISOString();
    state.revocations.push({ ...revoked, before: until, expiresAt: until });
    return revoked;
  },
});
