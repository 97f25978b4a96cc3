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
  Directory: ['Update', 'Query'],
};

/**
 * The same for the owner's machine apps, which serve the customer: they decide, and read how the
 * rights are made. People, keys and the log are the customer's, and so is every change.
 */
const actionsOfOwnersApp: Readonly<Record<string, readonly string[]>> = {
  Role: ['Query'],
  Group: ['Query'],
  Permission: ['Query'],
  Resource: ['Query'],
  Decision: ['Evaluate'],
};

export function countsForOwnersApp(resource: string, action: string): boolean {
  return isAmong(actionsOfOwnersApp, resource, action);
}

/** Whether a role may give this in the scope of a grant. The product's own actions all count. */
export function countsInGrant(resource: string, action: string): boolean {
  return isAmong(actions, resource, action);
}

function isAmong(counted: Readonly<Record<string, readonly string[]>>, resource: string, action: string): boolean {
  return !isBuiltInAction(resource, action) || (Object.hasOwn(counted, resource) && counted[resource]?.includes(action) === true);
}
