import { assertVersion, callerOf, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { operation } from '../../deps.ts';
import { type ClientDocumentRules, findRules, listDocumentApps, lockRules, saveRules } from '../../storage/client-documents.ts';
import { deleteArtifactsOfApps } from '../../storage/openid-artifacts.ts';
import { takeTokensOfApps } from '../../storage/project-app-tokens.ts';
import { deleteProjectAppRow, directDocumentApps } from '../../storage/project-apps.ts';
import { assertScopes, newVoucherOf, projectScopeOf, projectTenants } from '../project-app.ts';
import { assertDomains, assertNotBuiltIn, ClientDocuments, rulesFields, toClientDocuments } from './client-documents.ts';

export const updateClientDocuments = operation({
  name: 'updateClientDocuments',
  summary:
    'Set from which hosts a project accepts client metadata documents. Clients of a host that is left out are refused at once, and so are their tokens',
  kind: 'mutation',
  input: strict({ ...scopeField, ...Type.Partial(Type.Object(rulesFields)).properties }),
  output: ClientDocuments,
  access: { permission: 'ProjectApp:Update' },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  audit: 'client-documents.updated',
  events: ['projectApp.deleted'],
  leaves: { ends: 'each client that is let in is an app with the voucher of the caller, and stops with it' },
  changesDocuments: true,
  versioned: true,
  rest: { method: 'PUT', path: '/api/client-documents' },
  graphql: { field: 'updateClientDocuments', type: 'ClientDocuments' },
  example: {
    input: { allowClientMetadataDocuments: true, clientDomains: ['mcp.example.com'], clientScopes: [] },
    records: ['allowClientMetadataDocuments', 'clientDomains', 'clientScopes'],
  },

  /** Who lets them in answers for them, as for an app: and must hold each of the scopes. */
  async prepare({ clientDomains = [], clientScopes }, context) {
    assertDomains(clientDomains, context);
    assertNotBuiltIn(clientScopes ?? []);
    const scopes = clientScopes ?? (await findRules(context.deps.database, projectScopeOf(context)))?.scopes ?? [];
    const [voucher] = await Promise.all([newVoucherOf(context), assertScopes(scopes, context, 'clientScopes')]);
    return { voucher, scopes };
  },

  async handle({ allowClientMetadataDocuments, clientDomains, clientScopes }, context, { voucher, scopes }) {
    const { tx, deps, now, emit, audit } = context;
    const scope = projectScopeOf(context);
    await holdScope(tx, scope.id);
    const { row: before, isFirst } = await lockRules(tx, scope, { userId: callerOf(context).userId, now });
    await assertVersion(context.request, async () => (isFirst ? { updatedAt: null } : before));
    const after = await saveRules(
      tx,
      scope,
      {
        isAllowed: allowClientMetadataDocuments ?? before.isAllowed,
        domains: clientDomains ?? before.domains,
        // Those that the caller was asked about.
        scopes: clientScopes ?? scopes,
        voucher,
      },
      now,
    );
    const apps = await listDocumentApps(tx, scope);
    const out = apps
      .filter(({ documentUrl }) => !after.isAllowed || !after.domains.includes(new URL(documentUrl).host))
      .map(({ id }) => id);
    const staying = apps.map(({ id }) => id).filter((id) => !out.includes(id));
    const narrowed = before.scopes.some((name) => !after.scopes.includes(name)) ? staying : [];
    await directDocumentApps(tx, staying, { scopes: after.scopes, voucher }, now);
    await deleteArtifactsOfApps(tx, out);
    const tokens = await takeTokensOfApps(tx, [...out, ...narrowed]);
    for (const id of out) {
      await deleteProjectAppRow(tx, scope, id, { hard: false, now });
      emit({ type: 'projectApp.deleted', key: id, payload: { projectAppId: id, scope: { tenant: scope.tenant, id: scope.id } } });
    }
    const detail = { endedClients: out.length, endedTokens: tokens.length };
    audit({
      targetType: 'ClientDocuments',
      targetId: scope.id,
      ...(isFirst ? {} : { before: recorded(before) }),
      after: recorded(after),
      detail,
    });
    return { after, revocations: await deps.revoker.revokeSessions(tx, tokens, now) };
  },

  async complete({ after, revocations }, { deps }) {
    deps.revoker.announce(revocations);
    return toClientDocuments(after);
  },
});

/** As the log shows them. */
function recorded({ isAllowed, domains, scopes }: ClientDocumentRules) {
  return { allowClientMetadataDocuments: isAllowed, clientDomains: domains, clientScopes: scopes };
}
