import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../deps.ts';
import { deleteAppSecret } from '../storage/project-app-secrets.ts';
import { projectTenants, targetOf } from './project-app.ts';
import { AppSecret } from './secret.ts';

export const deleteProjectAppSecret = operation({
  name: 'deleteProjectAppSecret',
  summary: 'Remove a client secret; it is refused from then on',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, secretId: Id }),
  output: AppSecret,
  access: { permission: 'ProjectApp:Update', target: targetOf },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND'],
  audit: 'project-app.secret-deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/project-apps/:id/secrets/:secretId' },
  graphql: { field: 'deleteProjectAppSecret', type: 'ProjectAppSecret' },

  async handle({ id, secretId }, { tx, audit }) {
    const gone = await deleteAppSecret(tx, id, secretId);
    if (gone === undefined) throw failures.notFound('ProjectAppSecret');
    audit({ targetType: 'ProjectApp', targetId: id, detail: { secretId, lastFour: gone.lastFour } });
    return gone;
  },
});
