import { Id, Nullable, pageFields, pageOf, scopeField, scopeOf, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { pageDirectoryRequests } from '../../storage/directory-requests.ts';

const { page, limit } = pageFields(['at']);

const DirectoryRequest = strict(
  {
    id: Id,
    at: Timestamp,
    serviceAccountId: Type.String({ description: 'The service account' }),
    credentialId: Type.String({ description: 'The credential that it used' }),
    ipAddress: Type.String({ examples: ['203.0.113.7'] }),
    method: Type.String({ examples: ['PATCH'] }),
    path: Type.String({ description: 'Below the address of the organization', examples: ['/Users/0199c0de-0000-7000-8000-000000000001'] }),
    filter: Nullable(Type.String({ description: 'At most 300 characters of it', examples: ['userName eq "ada@example.com"'] })),
    status: Type.Integer({ description: 'Of the answer', examples: [200] }),
    scimType: Nullable(Type.String({ description: 'Why it was refused, in the words of RFC 7644', examples: ['invalidFilter'] })),
    detail: Nullable(Type.String({ description: 'Why it was refused' })),
    durationMs: Type.Integer(),
    body: Type.Unknown({
      description:
        'The body with the values of known attributes, each cut after 100 characters; of other attributes only type and length, because they may be secrets',
    }),
  },
  { description: 'A request of SCIM by a service account of the organization' },
);

export const listDirectoryRequests = operation({
  name: 'listDirectoryRequests',
  summary: 'What the directory of an organization has sent by SCIM, and the answers: the last thousand requests, newest first, for 30 days',
  kind: 'query',
  input: strict({
    ...scopeField,
    page,
    limit,
    isRefused: Type.Optional(Type.Boolean({ description: 'Only those that were refused, or only those that were not' })),
  }),
  output: pageOf(DirectoryRequest),
  access: { permission: 'Directory:Query' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/directory-requests' },
  graphql: { field: 'directoryRequests', type: 'DirectoryRequestPage', items: 'directoryRequests' },

  async handle({ scope: _scope, ...input }, context) {
    const { rows, ...counts } = await pageDirectoryRequests(context.tx, scopeOf(context).id, input);
    return { items: rows, ...counts };
  },
});
