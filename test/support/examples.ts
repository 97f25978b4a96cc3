/** How an operation succeeds in a world of its own, from its declaration and its example. */
import { randomUUID } from 'node:crypto';
import { exampleId } from '@tessera/kernel/operation';
import type { ScopeValue } from './client.ts';
import type { Declared } from './operations.ts';
import { sampleInput } from './sample.ts';
import type { World } from './world.ts';

type Json = Readonly<Record<string, unknown>>;
type Ids = Readonly<Record<string, string>>;

/** What a test gives a name to when it creates or changes a thing. */
export const exampleName = 'Second';

/** Things that only projects have. */
const ofProjects = ['Resource', 'ApiKey', 'ProjectApp', 'ProjectGrant'];

/** The resource of the permission that the operation needs. */
export function resourceOf({ access }: Declared): string {
  return (access.permission ?? '').split(':')[0] ?? '';
}

/**
 * The example of the declaration, with real ids in the place of its own. A secret is made for each
 * request: what was sent as one may be in no answer, and the OpenAPI document is one.
 */
export function exampleOf({ example }: Pick<Declared, 'example'>, ids: Ids): Json {
  const real = new Map(Object.entries(ids).map(([resource, id]) => [exampleId(resource), id]));
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return real.get(value) ?? value;
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, name === 'clientSecret' ? randomUUID() : replaced(inner)]),
    );
  };
  return replaced(example?.input ?? {}) as Json;
}

/** A scope of the world that has what the operation and its example name. */
export function exampleScope(operation: Declared, { organization, project, owner }: World): ScopeValue | undefined {
  const { scopes } = operation;
  if (scopes === 'none') return undefined;
  const sent = JSON.stringify(operation.example?.input ?? {});
  const isOfProject = ofProjects.some((resource) => resourceOf(operation) === resource || sent.includes(exampleId(resource)));
  if (isOfProject && scopes.includes('organizationProject')) return project;
  return [organization, project, owner.account].find(({ tenant }) => (scopes as readonly string[]).includes(tenant));
}

/** An input that succeeds in the world, unless the test has to give more. */
export function exampleInput(operation: Declared, world: World): Json {
  const scope = exampleScope(operation, world);
  const id = world.ids[resourceOf(operation)];
  return sampleInput(operation, {
    ...(scope === undefined ? {} : { scope }),
    ...(id === undefined ? {} : { id, userId: id }),
    name: exampleName,
    ...exampleOf(operation, world.ids),
  });
}

/**
 * The order in which operations leave each other what they need: what ends a session, a person or
 * the organization comes last; updates before deletions, and what revokes a thing before what
 * deletes it.
 */
export function exampleOrder({ name }: Declared): number {
  if (/^(logout|revokeMy|deleteMy|resetPassword|finishRecovery)/.test(name)) return 4;
  if (name === 'deleteProject') return 5;
  if (name === 'deleteOrganization') return 6;
  if (/^(delete|remove|end)/.test(name)) return 3;
  return /^(update|change|renew|rotate|revoke)/.test(name) ? 2 : 1;
}
