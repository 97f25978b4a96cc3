import { newId } from '@tessera/kernel/ids';
import { describeTagsContract } from '../../../../proto/rbac/v1/testing/tags-contract.ts';
import { FakeRbac } from './fake-rbac.ts';

const rbac = new FakeRbac();

describeTagsContract({
  tags: () => rbac.tags,
  createOrganization: async () => {
    const id = newId();
    return {
      id,
      makeTag: async () => {
        const tagId = newId();
        rbac.tag(id, tagId);
        return tagId;
      },
      tagProject: async (projectId, tagIds, primaryTagId) => {
        const scope = { tenant: 'organization', id };
        rbac.receive({ type: 'project.tagged', payload: { scope, projectId, tagIds: [...tagIds], primaryTagId } });
      },
    };
  },
});
