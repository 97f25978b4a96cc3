import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import { useRights } from '../../base/rights.ts';
import { type ProjectScope, useScope } from '../../base/scope.ts';
import type { Chosen } from '../../parts/person/people-field.tsx';

/** The project of the place, where the caller may give people roles; undefined elsewhere. */
export function useGivingScope(): ProjectScope | undefined {
  const { tenant, id } = useScope();
  const { may } = useRights();
  const isProject = tenant === 'accountProject' || tenant === 'organizationProject';
  // Those whom one has made oneself are not enough to choose from all.
  return isProject && may('User:Query') && may('User:Update', { id: '', createdBy: null }) ? { tenant, id } : undefined;
}

async function give(scope: ProjectScope, roleId: string, userId: string): Promise<void> {
  const [person] = (await tessera.listUsers({ scope, ids: [userId], relations: ['roles'] })).items;
  const held = (person?.roles ?? []).map(({ id }) => id);
  if (person === undefined || held.includes(roleId)) return;
  await tessera.updateUser({ scope, id: userId, roleIds: [...held, roleId] }, { ifMatch: person });
}

export type NotGiven = { readonly names: string; readonly reason: string };

/** Gives people the role beside those that they have. Tells who did not get it, and why. */
export async function giveRole(scope: ProjectScope, roleId: string, people: readonly Chosen[]): Promise<NotGiven | undefined> {
  const failed: { readonly label: string; readonly error: unknown }[] = [];
  for (const { id, label } of people) await give(scope, roleId, id).catch((error: unknown) => failed.push({ label, error }));
  const [first] = failed;
  return first && { names: failed.map(({ label }) => label).join(', '), reason: messageOf(first.error) };
}
