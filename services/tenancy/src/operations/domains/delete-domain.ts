import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { deleteDomainRow, lockDomain } from '../../storage/domains.ts';
import { DomainSchema, domainScopes, organizationOf, present } from './domain.ts';

export const deleteDomain = operation({
  name: 'deleteDomain',
  summary: 'Give a domain up; another organization may prove it from then on',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: DomainSchema,
  access: { permission: 'Domain:Delete' },
  scopes: domainScopes,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: 'domain.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/domains/:id' },
  graphql: { field: 'deleteDomain', type: 'Domain' },

  async handle({ id }, context) {
    const { tx, now, audit } = context;
    const domain = await lockDomain(tx, organizationOf(context), id);
    if (domain === undefined) throw failures.notFound('Domain');
    await deleteDomainRow(tx, id);
    const before = present(domain);
    audit({ targetType: 'Domain', targetId: id, before, detail: { name: domain.domain } });
    return { ...before, deletedAt: now.toISOString() };
  },
});
