import { afterAll } from '@jest/globals';
import { describeKeysContract } from '../../../../../proto/keys/v1/testing/keys-contract.ts';
import { appUrl, startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
const { keys } = stack.client();
afterAll(async () => {
  keys.close();
  await stack.stop();
});

describeKeysContract({ keys: () => keys, appUrl, createProject: async () => (await stack.project()).scope });
