import { implement } from '@tessera/kernel/grpc';
import type { RbacDeps } from '../../deps.ts';
import { checkActions, describeActions } from '../../operations/decisions/check-actions.ts';
import { findResourceServer } from '../../operations/resources/identifier.ts';
import { readScope, readSubject } from './subject.ts';

/** rbac.v1.Catalogue: for services that store names of actions, as project apps and API keys do. */
export function catalogueService(deps: RbacDeps) {
  return implement('rbac.v1.Catalogue', {
    checkActions: async ({ actor, scope, actions }) => ({
      verdicts: await checkActions(deps, { actor: readSubject(actor), scope: readScope(scope), actions }),
    }),
    describeActions: async ({ scope, actions }) => ({ descriptions: await describeActions(deps, readScope(scope), actions) }),
    findResourceServer: ({ scope, identifier }) => findResourceServer(deps, readScope(scope), identifier),
  });
}
