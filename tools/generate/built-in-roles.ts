/**
 * The built-in resources with their actions, and what each built-in role of an organization gives:
 * for the console.
 */
import { load } from './services.ts';
import type { Step } from './step.ts';

type Grant = { readonly resource: string; readonly action: string; readonly condition: object | null };
type Catalogue = {
  readonly builtInResources: Readonly<Record<string, readonly string[]>>;
  readonly organizationRoles: readonly string[];
  readonly machineRoles: { readonly organization: string };
  readonly grantsOf: (role: string) => readonly Grant[];
};

/** By resource, in the catalogue's order: actions that hold always, and those of one's own. */
function givenBy(grants: readonly Grant[], resources: readonly string[]) {
  return resources.flatMap((resource) => {
    const own = grants.filter((grant) => grant.resource === resource);
    const actionsOf = (isOwn: boolean) => own.filter(({ condition }) => (condition !== null) === isOwn).map(({ action }) => action);
    return own.length === 0 ? [] : [{ resource, actions: actionsOf(false), ofOwn: actionsOf(true) }];
  });
}

export const builtInRoles: Step = {
  name: 'built-in roles',
  async make(root) {
    const catalogue = (await load(root, 'services/rbac/src/domain/catalogue.ts')) as Catalogue;
    const { builtInResources, organizationRoles, machineRoles, grantsOf } = catalogue;
    const roles = [...organizationRoles, machineRoles.organization];
    const given = roles.map((role) => [role, givenBy(grantsOf(role), Object.keys(builtInResources))]);
    const content = `// Generated from the catalogue of rbac by \`npm run generate\`. Do not edit.

export const builtInResources: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(builtInResources, null, 2)};

/** \`ofOwn\`: what holds for things that one has made, or for oneself. */
type Given = { readonly resource: string; readonly actions: readonly string[]; readonly ofOwn: readonly string[] };

/** By the name of the role. */
export const builtInRoles: Readonly<Record<string, readonly Given[]>> = ${JSON.stringify(Object.fromEntries(given), null, 2)};
`;
    return [{ path: 'proto/generated/built-in-roles.ts', content }];
  },
};
