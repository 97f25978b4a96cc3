/** What the page of a set-up link does: each mutation once, in the browser that has begun. */
import { dataOf, type World } from '../../support/world.ts';
import type { Steps } from './step.ts';

export async function setUpSteps({ owner, organization }: World): Promise<Steps> {
  const make = async (body: object) =>
    dataOf(await owner.client.post('/api/connections/set-up-links', { scope: organization, ...body }, owner.token));
  const [link, unused] = [await make({ allowsDirectory: true }), await make({})];
  const { hash, origin } = new URL(link.url);
  const page = { cookies: new Map<string, string>(), headers: { origin }, scope: organization } as const;
  return {
    redeemSetUpLink: { input: () => ({ token: hash.slice('#token='.length) }), ...page },
    addSetUpDomain: { input: () => ({ id: link.id, domain: 'set-up.truth.example.com' }), keep: 'setUpDomain', ...page },
    verifySetUpDomain: { input: ({ setUpDomain: domainId }) => ({ id: link.id, domainId }), ...page },
    makeSetUpDirectory: { input: () => ({ id: link.id }), ...page },
    finishSetUp: { input: () => ({ id: link.id }), ...page },
    deleteSetUpLink: { input: () => ({ scope: organization, id: unused.id }) },
  };
}
