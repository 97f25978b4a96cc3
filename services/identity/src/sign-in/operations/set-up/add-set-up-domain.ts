import { Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { requireOpenSetUp, wireCaller } from '../../set-up.ts';
import { SetUpDomain, showSetUpDomain } from './set-up.ts';

export const addSetUpDomain = operation({
  name: 'addSetUpDomain',
  summary: 'Claim a domain for the organization of a set-up link, ten at most; its TXT record proves it',
  kind: 'mutation',
  input: strict({ id: Id, domain: Type.String({ minLength: 1, maxLength: 253, examples: ['example.com'] }) }),
  output: SetUpDomain,
  access: { open: 'bound to the browser by a cookie; its holder has no account' },
  scopes: 'none',
  verification: { exempt: 'the caller has no account' },
  isolation: { none: 'tenancy commits the claim and its record' },
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'domain.created',
  events: [],
  leaves: { ends: 'it is worth something only while the DNS shows its record, which is looked for every day' },
  rest: { method: 'POST', path: '/api/set-up/:id/domains' },
  graphql: { none: 'REST only: for the page, which is bound by a cookie' },

  async handle({ id, domain }, context) {
    const link = await requireOpenSetUp(id, context);
    const claim = await context.deps.tenancy.claimSetUpDomain({ caller: wireCaller(link, context), domain });
    context.audit({ isWritten: true });
    return showSetUpDomain(claim);
  },
});
