/**
 * A supporter who acts as a person of an organization (docs/decisions/038): what of the person's
 * rights counts. The kernel's `assertSupport` asks the rest, which only an operation knows.
 */
import type { Scope } from '@tessera/kernel/scope';
import { isBuiltInAction } from './catalogue.ts';

export type Support = {
  /** The project where the supporter holds SupportAccess:Use. */
  readonly project: Scope;
  readonly organizationId: string;
  readonly mayWrite: boolean;
  readonly mayExport: boolean;
};

/** What the supporter must hold in the project. */
export const supportPermission = { resource: 'SupportAccess', action: 'Use' } as const;

/** The organization, and its use of that project. */
export function isWithin({ organizationId, project }: Support, { tenant, id }: Scope): boolean {
  if (tenant === 'organization') return id === organizationId;
  return tenant === 'organizationProject' && id === `${organizationId}:${project.id.slice(project.id.indexOf(':') + 1)}`;
}

const reads: ReadonlySet<string> = new Set(['Read', 'Query', 'Evaluate']);
/** Of an application's own actions; nothing else says what they do. */
const readsByName = /^(?:read|query|list|get|view|find|search)/i;

/** Built-in changes are about people, rights and settings, but for tags. */
export function covers({ mayWrite, mayExport }: Support, resource: string, action: string): boolean {
  if (!isBuiltInAction(resource, action)) return mayWrite || readsByName.test(action);
  if (action.startsWith('Export')) return mayExport;
  return reads.has(action) || (mayWrite && resource === 'Tag');
}
