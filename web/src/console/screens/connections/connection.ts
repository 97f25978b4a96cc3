import { useQuery } from '@tanstack/react-query';
import type { Item, Output } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { type OrganizationScope, useOrganization } from '../../base/scope.ts';
import { isForMachines } from '../../parts/form/machine-role.ts';

export type Connection = Item<'listConnections'>;
export type Test = Output<'listConnectionTests'>['items'][number];
export type Line = { readonly claim: string; readonly value: string; readonly roleId: string; readonly grantId: string | null };
type Place = OrganizationScope | { readonly tenant: 'organizationProject'; readonly id: string };
export type Role = { readonly id: string; readonly name: string };

/** Roles that a provider may give: never Owner, and none that machines alone hold. */
async function rolesIn(scope: Place): Promise<Role[]> {
  const roles = await Array.fromAsync(tessera.listRoles({ scope, limit: 100 }));
  return roles.filter((role) => role.rank !== 1 && !isForMachines(role)).map(({ id, name }) => ({ id, name }));
}

export function useRoles(): readonly Role[] {
  const scope = useOrganization();
  const { data = [] } = useQuery({ queryKey: ['console', 'roles of connections', scope.id], queryFn: () => rolesIn(scope) });
  return data;
}

export type Target = { readonly grantId: string | null; readonly label: string; readonly roles: readonly Role[] };

/** Where a mapping may give roles: here, and in the projects that the organization uses. */
export function useTargets(here: string): readonly Target[] {
  const scope = useOrganization();
  const { data = [] } = useQuery({
    queryKey: ['console', 'targets of mappings', scope.id, here],
    queryFn: async (): Promise<Target[]> => {
      const own = { grantId: null, label: here, roles: await rolesIn(scope) };
      // Who may not see the grants maps here alone.
      const grants = await Array.fromAsync(tessera.listProjectGrants({ scope, limit: 100, status: 'active' })).catch(() => []);
      const others = grants.map(async ({ id, project }) => ({
        grantId: id,
        label: project.name,
        roles: await rolesIn({ tenant: 'organizationProject', id: `${scope.id}:${project.id}` }).catch(() => []),
      }));
      return [own, ...(await Promise.all(others))];
    },
  });
  return data;
}

/** The last tests, newest first. */
export function useTests(id: string) {
  const scope = useOrganization();
  return useQuery({
    queryKey: ['console', 'connection tests', scope.id, id],
    queryFn: async () => (await tessera.listConnectionTests({ scope, id })).items,
  });
}

/** As a sign-in compares: the whole value, exactly. */
export function linesOf(mapping: readonly Line[], came: Test['came']): readonly Line[] {
  return mapping.filter(({ claim, value }) => came.some((one) => one.name === claim && one.values.includes(value)));
}

const monthMs = 30 * 86_400_000;

/** Whether a certificate has ended, or ends within a month. */
export function endOf(endsAt: string, nowMs: number): 'ended' | 'soon' | 'good' {
  const leftMs = Date.parse(endsAt) - nowMs;
  if (leftMs <= 0) return 'ended';
  return leftMs < monthMs ? 'soon' : 'good';
}

type Trust = Pick<Connection, 'linkOnProvenDomain' | 'trustedAcr'>;

/** What is newly believed of the provider, and whether something is no longer. */
export function trustChange(
  before: Trust,
  after: Trust,
): { readonly links: boolean; readonly counts: boolean; readonly isTakenBack: boolean } {
  const isMissingIn = (values: readonly string[]) => (value: string) => !values.includes(value);
  return {
    links: after.linkOnProvenDomain && !before.linkOnProvenDomain,
    counts: after.trustedAcr.some(isMissingIn(before.trustedAcr)),
    isTakenBack: (before.linkOnProvenDomain && !after.linkOnProvenDomain) || before.trustedAcr.some(isMissingIn(after.trustedAcr)),
  };
}
