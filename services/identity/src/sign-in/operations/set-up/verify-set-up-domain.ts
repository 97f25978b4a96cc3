import { Id, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { requireOpenSetUp, wireCaller } from '../../set-up.ts';
import { SetUpDomain, showSetUpDomain } from './set-up.ts';

const lookUpMs = 12_000;

export const verifySetUpDomain = operation({
  name: 'verifySetUpDomain',
  summary: 'Look for the TXT record of a domain of a set-up link now',
  kind: 'mutation',
  input: strict({ id: Id, domainId: Id }),
  output: SetUpDomain,
  access: { open: 'bound to the browser by a cookie; its holder has no account' },
  scopes: 'none',
  verification: { exempt: 'the caller has no account' },
  isolation: { none: 'tenancy commits the check and its record' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'domain.checked',
  events: [],
  leaves: { ends: 'it is proven while the DNS shows its record, which is looked for every day' },
  rest: { method: 'POST', path: '/api/set-up/:id/domains/:domainId/verify' },
  graphql: { none: 'REST only: for the page, which is bound by a cookie' },

  async handle({ id, domainId }, context) {
    const link = await requireOpenSetUp(id, context);
    const asked = { caller: wireCaller(link, context), id: domainId };
    const domain = await context.deps.tenancy.checkSetUpDomain(asked, { timeoutMs: lookUpMs });
    context.audit({ isWritten: true });
    return showSetUpDomain(domain);
  },
});
