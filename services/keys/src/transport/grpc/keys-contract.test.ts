import { afterAll } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { describeInboxContract } from '../../../../../proto/events/v1/testing/inbox-contract.ts';
import { describeKeysContract } from '../../../../../proto/keys/v1/testing/keys-contract.ts';
import { describeRevocationsContract } from '../../../../../proto/revocation/v1/testing/revocations-contract.ts';
import { apiKeysOf } from '../../testing/api-keys.ts';
import { appUrl, startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
const { keys, inbox, revocations } = stack.client();
afterAll(async () => {
  for (const client of [keys, inbox, revocations]) client.close();
  await stack.stop();
});

describeKeysContract({ keys: () => keys, appUrl, createProject: async () => (await stack.project()).scope });

describeInboxContract({
  inbox: () => inbox,
  producer: 'identity',
  makeEvent: () => ({ type: 'user.deleted', payloadJson: JSON.stringify({ userId: newId(), hard: false }) }),
});

const apiKeys = apiKeysOf(() => stack);

describeRevocationsContract({
  revocations: () => revocations,
  async revoke() {
    const project = await stack.project();
    const { id } = await apiKeys.createKey(project);
    await apiKeys.revoke(project, id);
    return { kind: 'jti', value: id };
  },
});
