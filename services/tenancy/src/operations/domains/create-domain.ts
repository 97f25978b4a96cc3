import { callerOf, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { claimDomain } from '../../domains/claim.ts';
import { errors } from '../../errors.ts';
import { DomainSchema, domainScopes, organizationOf, present, readDomain } from './domain.ts';

export const createDomain = operation({
  name: 'createDomain',
  summary:
    'Claim a domain: publish its TXT record, then verify it. A claim alone gives no right, and other organizations may claim the domain too',
  kind: 'mutation',
  input: strict({ ...scopeField, domain: Type.String({ minLength: 1, maxLength: 253, examples: ['example.com'] }) }),
  output: DomainSchema,
  access: { permission: 'Domain:Create' },
  scopes: domainScopes,
  verification: 'by-scope',
  errors: ['CONFLICT', 'NOT_FOUND'],
  audit: 'domain.created',
  events: [],
  leaves: { ends: 'it is worth something only while the DNS shows its record, which is looked for every day' },
  rest: { method: 'POST', path: '/api/domains', status: 201 },
  graphql: { field: 'createDomain', type: 'Domain' },
  example: { input: { domain: 'example.com' }, records: ['domain'] },

  prepare: async ({ domain }) => readDomain(domain),

  async handle(_input, context, domain) {
    const { tx, audit } = context;
    const organizationId = organizationOf(context);
    const made = await claimDomain(tx, { organizationId, domain, createdBy: callerOf(context).userId });
    if (made === undefined) throw errors.domainExists({ extensions: { resource: 'Domain', field: 'domain' } });
    audit({ targetType: 'Domain', targetId: made.id, detail: { name: domain } });
    return present(made);
  },
});
