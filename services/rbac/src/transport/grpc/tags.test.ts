import { afterAll } from '@jest/globals';
import { describeTagsContract } from '../../../../../proto/rbac/v1/testing/tags-contract.ts';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

describeTagsContract({
  tags: () => stack.clientOf(0).tags,
  createOrganization: async () => {
    const { id, scope, token } = await stack.makeOrganization();
    return {
      id,
      makeTag: async (name) =>
        String((await stack.request('POST', '/api/tags', { token, body: { scope, name, color: 'red' } })).data['id']),
      tagProject: async (projectId, tagIds, primaryTagId) => {
        await stack.tell('project.tagged', { scope, projectId, tagIds: [...tagIds], primaryTagId });
      },
    };
  },
});
