import { column, references, table, timestamp } from '@tessera/kernel/postgres';
import type { ProjectScope, Voucher } from '../domain/project-app.ts';
import { projectApps } from './project-apps.ts';

/** What was read at the address of a client that is known by a document. */
export const clientDocuments = table(
  'client_documents',
  {
    projectAppId: references(projectApps).primary(),
    /** Of what people consented to. */
    digest: column.blob(),
    /** What the client calls itself. */
    ownName: column.text().nullable(),
    readAt: timestamp(),
    freshUntil: timestamp(),
  },
  { checks: [{ name: 'client_documents_own_name_check', expression: 'char_length(own_name) <= 80' }] },
);

/** Which of these clients a project lets in, and what they may ask a person for. */
export const clientDocumentRules = table(
  'client_document_rules',
  {
    scopeId: column.text().primary(),
    scopeTenant: column.text().$type<ProjectScope['tenant']>(),
    isAllowed: column.boolean(),
    domains: column.array().$type<readonly string[]>().columnType('text[]'),
    scopes: column.array().$type<readonly string[]>().columnType('text[]'),
    vouchedBy: column.uuid(),
    voucher: column.json().$type<Voucher>().nullable(),
    updatedAt: timestamp(),
  },
  {
    indexes: [{ name: 'client_document_rules_voucher', properties: ['vouchedBy'] }],
    checks: [
      { name: 'client_document_rules_scope_tenant_check', expression: `scope_tenant IN ('accountProject', 'organizationProject')` },
      { name: 'client_document_rules_domains_check', expression: 'cardinality(domains) <= 50' },
    ],
  },
);
