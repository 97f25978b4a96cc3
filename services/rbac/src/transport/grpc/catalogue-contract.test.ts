import { afterAll } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { describeInboxContract } from '../../../../../proto/events/v1/testing/inbox-contract.ts';
import { describeCatalogueContract } from '../../../../../proto/rbac/v1/testing/catalogue-contract.ts';
import { documentsIn } from '../../testing/documents.ts';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

describeCatalogueContract({
  catalogue: () => stack.clientOf(0).catalogue,
  async arrange() {
    const { scope: organization, ownerId, token } = await stack.makeOrganization();
    const [scope, otherScope] = [await stack.makeProject(organization), await stack.makeProject(organization)];
    const identifier = 'https://documents.example.com/api';
    await documentsIn(stack, scope, token).post('/api/resources', { name: 'Document', slug: 'Document', actions: ['read'], identifier });
    const actor = { type: 'session', userId: ownerId, tokenId: newId(), scopes: [] };
    return { actor, scope, otherScope, identifier, slug: 'Document', known: 'Document:read', unknown: 'Document:burn' };
  },
});

describeInboxContract({
  inbox: () => stack.clientOf(0).inbox,
  producer: 'identity',
  makeEvent: () => ({ type: 'user.deleted', payloadJson: JSON.stringify({ userId: newId(), hard: false }) }),
});
