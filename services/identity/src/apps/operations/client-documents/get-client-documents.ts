import { scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { findRules } from '../../storage/client-documents.ts';
import { projectScopeOf, projectTenants } from '../project-app.ts';
import { ClientDocuments, toClientDocuments } from './client-documents.ts';

export const getClientDocuments = operation({
  name: 'getClientDocuments',
  summary: 'Read from which hosts a project accepts client metadata documents',
  kind: 'query',
  input: strict({ ...scopeField }),
  output: ClientDocuments,
  access: { permission: 'ProjectApp:Query' },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { none: 'one query of the scope that was authorized' },
  errors: [],
  audit: { none: 'reads settings' },
  events: [],
  rest: { method: 'GET', path: '/api/client-documents' },
  graphql: { field: 'clientDocuments', type: 'ClientDocuments' },

  async handle(_input, context) {
    return toClientDocuments(await findRules(context.deps.database, projectScopeOf(context)));
  },
});
