/**
 * A supporter acts as a person in one tab. Which access it is stands in the tab's own storage; the
 * token is got with the supporter's session, and only as long as the access lasts.
 */
import { tab } from './tab.ts';

type Project = { readonly tenant: 'organizationProject'; readonly id: string };
export type Acting = { readonly id: string; readonly project: Project; readonly organizationId: string };

const key = 'tessera-acting';

/** Undefined in all other tabs. */
export function readActing(): Acting | undefined {
  const { id, project, organizationId } = tab.read<Record<'id' | 'project' | 'organizationId', unknown>>(key);
  if (typeof id !== 'string' || typeof project !== 'string' || typeof organizationId !== 'string') return undefined;
  return { id, project: { tenant: 'organizationProject', id: project }, organizationId };
}

/** The tab begins anew as the person: nothing that was read before is shown. */
export function beginActing({ id, project, organizationId }: Acting): void {
  sessionStorage.setItem(key, JSON.stringify({ id, project: project.id, organizationId }));
  window.location.assign(`/console/org/${organizationId}`);
}

/** Back to the supporter's own session, at the list of accesses. */
export function leaveActing({ project }: Acting): void {
  tab.forget(key);
  const [owner = '', id = ''] = project.id.split(':');
  window.location.replace(`/console/org/${owner}/prj/${id}/support`);
}
