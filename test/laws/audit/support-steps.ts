/** Support access: a vendor's supporter, and the organization that uses the product. */
import type { SystemStack } from '../../support/shared-stack.ts';
import { addMember, createOrganization, createPerson, createProject, dataOf, type World } from '../../support/world.ts';
import type { Steps } from './step.ts';

export async function supportSteps(stack: SystemStack, { owner, organization }: World): Promise<Steps> {
  const vendor = await createPerson(stack);
  const product = await createProject(vendor, await createOrganization(vendor));
  const [ownerOrganizationId, projectId] = product.id.split(':');
  const offer = { scope: product, organizationId: organization.id };
  const grant = dataOf(await vendor.client.post('/api/project-grants', offer, vendor.token));
  dataOf(await owner.client.post(`/api/project-grants/${grant.id}/accept`, { scope: organization }, owner.token));
  const person = await addMember(stack, owner, organization, 'Viewer');
  const request = { scope: product, organizationId: organization.id, userId: person.userId, reason: 'The list stays empty' };
  const inside = { scope: organization };
  return {
    createSupportAccess: { input: () => request, as: vendor, keep: 'support' },
    grantSupportAccess: { input: ({ support: id }) => ({ ...inside, id }) },
    exchangeSupportAccess: { input: ({ support: id }) => ({ scope: product, id }), as: vendor },
    revokeSupportAccess: { input: ({ support: id }) => ({ ...inside, id }) },
    endMySupportAccess: {
      input: async () => ({ id: dataOf(await vendor.client.post('/api/support-access', request, vendor.token)).id }),
      as: person,
      scope: organization,
    },
    createSupportConsent: { input: () => ({ ...inside, ownerOrganizationId, projectId, days: 1 }), keep: 'supportConsent' },
    deleteSupportConsent: { input: ({ supportConsent: id }) => ({ ...inside, id }) },
  };
}
