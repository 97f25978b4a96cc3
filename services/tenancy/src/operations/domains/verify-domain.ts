import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { settleSight } from '../../domains/settle.ts';
import { findDomain, lockDomain } from '../../storage/domains.ts';
import { DomainSchema, domainScopes, organizationOf, present } from './domain.ts';

export const verifyDomain = operation({
  name: 'verifyDomain',
  summary: 'Look for the TXT record of a domain now; `problem` says why it does not prove the domain. A verified domain is checked again',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: DomainSchema,
  access: { permission: 'Domain:Update' },
  scopes: domainScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'domain.checked',
  events: [],
  leaves: { ends: 'it is proven while the DNS shows its record, which is looked for every day' },
  rest: { method: 'POST', path: '/api/domains/:id/verify' },
  graphql: { field: 'verifyDomain', type: 'Domain' },

  async prepare({ id }, context) {
    const { deps } = context;
    const organizationId = organizationOf(context);
    const claim = await deps.database.scoped(scopeOf(context), (tx) => findDomain(tx, organizationId, id), { readOnly: true });
    if (claim === undefined) throw failures.notFound('Domain');
    return { sight: await deps.lookUpDomain(claim), checkedAt: claim.checkedAt };
  },

  async handle({ id }, context, { sight, checkedAt }) {
    const { tx, now, audit } = context;
    const domain = await lockDomain(tx, organizationOf(context), id);
    if (domain === undefined) throw failures.notFound('Domain');
    // A check that came in between looked later, or at the same time: its result stands.
    const isOvertaken = domain.checkedAt !== checkedAt;
    const { after, action } = isOvertaken ? { after: domain, action: undefined } : await settleSight(tx, domain, sight, now);
    const [before, shown] = [present(domain), present(after)];
    const detail = { name: domain.domain, ...(after.problem === null ? {} : { problem: after.problem }) };
    audit({ targetType: 'Domain', targetId: id, before, after: shown, detail, ...(action === undefined ? {} : { action }) });
    return shown;
  },
});
