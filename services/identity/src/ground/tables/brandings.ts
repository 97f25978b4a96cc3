import { column, table, timestamp } from '@tessera/kernel/postgres';

/** What hosted pages and mails show of a tenant. Each place has one row, or none. */
export const brandings = table(
  'brandings',
  {
    /** The id of an app, or that of a scope. */
    place: column.text().primary(),
    scopeTenant: column.text().$type<'organization' | 'accountProject' | 'organizationProject'>(),
    scopeId: column.text(),
    name: column.text().nullable(),
    logoPath: column.text().nullable(),
    primaryColor: column.text().nullable(),
    backgroundColor: column.text().nullable(),
    termsUrl: column.text().nullable(),
    privacyUrl: column.text().nullable(),
    supportEmail: column.text().nullable(),
    updatedAt: timestamp(),
  },
  {
    indexes: [{ name: 'brandings_scope', properties: ['scopeId'] }],
    checks: [
      {
        name: 'brandings_scope_tenant_check',
        expression: `scope_tenant IN ('organization', 'accountProject', 'organizationProject')`,
      },
      { name: 'brandings_name_check', expression: 'octet_length(name) <= 240' },
      { name: 'brandings_primary_color_check', expression: `primary_color ~ '^#[0-9a-f]{6}$'` },
      { name: 'brandings_background_color_check', expression: `background_color ~ '^#[0-9a-f]{6}$'` },
      { name: 'brandings_terms_url_check', expression: `terms_url ~~ 'https://%' AND octet_length(terms_url) <= 2000` },
      { name: 'brandings_privacy_url_check', expression: `privacy_url ~~ 'https://%' AND octet_length(privacy_url) <= 2000` },
    ],
  },
);
