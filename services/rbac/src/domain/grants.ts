import { isBuiltInAction } from './catalogue.ts';

/**
 * The built-in actions that count where an organization uses another's project: it looks after its
 * own people, roles, keys and webhooks there. All else of the product is its owner's.
 */
const actions: Readonly<Record<string, readonly string[]>> = {
  Role: ['Create', 'Update', 'Delete', 'Query'],
  Group: ['Create', 'Update', 'Delete', 'Query'],
  Tag: ['Create', 'Update', 'Delete', 'Query'],
  Permission: ['Query'],
  Resource: ['Query'],
  ProjectUser: ['Read', 'Query'],
  User: ['Read', 'Query', 'Update'],
  Decision: ['Evaluate'],
  AuditEvent: ['Query', 'Export'],
  ApiKey: ['Create', 'Delete', 'Revoke', 'Query'],
  Webhook: ['Create', 'Update', 'Delete', 'Query'],
};

/** Whether a role may give this in the scope of a grant. The product's own actions all count. */
export function countsInGrant(resource: string, action: string): boolean {
  return !isBuiltInAction(resource, action) || (Object.hasOwn(actions, resource) && actions[resource]?.includes(action) === true);
}
