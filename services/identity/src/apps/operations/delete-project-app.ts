import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { deleteBrandingOf } from '../../mail/storage/brandings.ts';
import { operation } from '../deps.ts';
import { takeTokensOfApps } from '../storage/project-app-tokens.ts';
import { deleteProjectAppRow, lockProjectApp } from '../storage/project-apps.ts';
import { ProjectApp, projectScopeOf, projectTenants, targetOf, toProjectApp } from './project-app.ts';

export const deleteProjectApp = operation({
  name: 'deleteProjectApp',
  summary: 'Remove an app; sign-ins to it are refused, and its tokens end at once',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, hardDelete: Type.Optional(Type.Boolean({ description: 'Remove the row instead of hiding it' })) }),
  output: ProjectApp,
  access: { permission: 'ProjectApp:Delete', target: targetOf },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND'],
  audit: 'project-app.deleted',
  events: ['projectApp.deleted'],
  leaves: 'nothing',
  changesDocuments: true,
  rest: { method: 'DELETE', path: '/api/project-apps/:id' },
  graphql: { field: 'deleteProjectApp', type: 'ProjectApp' },

  async handle({ id, hardDelete = false }, context) {
    const { tx, deps, now, emit, audit } = context;
    const scope = projectScopeOf(context);
    // Locked first: a parallel sign-in either stores its token before, where it is found, or issues
    // none.
    if ((await lockProjectApp(tx, scope, id)) === undefined) throw failures.notFound('ProjectApp');
    const ended = await takeTokensOfApps(tx, [id]);
    const gone = await deleteProjectAppRow(tx, scope, id, { hard: hardDelete, now });
    if (gone === undefined) throw failures.notFound('ProjectApp');
    await deleteBrandingOf(tx, id);
    emit({ type: 'projectApp.deleted', key: id, payload: { projectAppId: id, scope: { tenant: scope.tenant, id: scope.id } } });
    audit({ targetType: 'ProjectApp', targetId: id, before: toProjectApp(gone), detail: { hardDelete, endedTokens: ended.length } });
    return { gone: { ...gone, deletedAt: now.toISOString() }, revocations: await deps.revoker.revokeSessions(tx, ended, now) };
  },

  async complete({ gone, revocations }, { deps }) {
    deps.revoker.announce(revocations);
    return toProjectApp(gone);
  },
});
