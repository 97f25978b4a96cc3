import { readFileSync } from 'node:fs';
import type { Json } from '@tessera/rules/condition';
import { parse } from 'yaml';
import type { Reason } from '../domain/decision.ts';

/** The situations as they stand in the YAML files beside this one. */
type Named<Value> = Readonly<Record<string, Value>>;
type Deletable = { readonly deleted?: boolean };

export type World = {
  readonly accounts: Named<{ readonly owner: string; readonly type: 'personal' | 'organization' }>;
  readonly organizations: Named<{ readonly owner: string; readonly members?: Named<string> } & Deletable>;
  readonly projects: Named<{ readonly in: string } & Deletable>;
  readonly resources: Named<readonly string[] | { readonly actions: readonly string[]; readonly isActive: boolean }>;
  readonly permissions: Named<{ readonly in: string; readonly allows: string; readonly when?: Json } & Deletable>;
  readonly groups: Named<{ readonly in: string; readonly has: readonly string[]; readonly metadata?: Json } & Deletable>;
  readonly roles: Named<
    { readonly in: string; readonly has: readonly string[]; readonly heldBy?: readonly string[]; readonly metadata?: Json } & Deletable
  >;
  readonly metadata?: Named<Json>;
};

export type Situation = {
  readonly says: string;
  readonly who: string;
  readonly with?: {
    readonly token: 'apiKey' | 'projectApp';
    readonly of: string;
    readonly scopes?: readonly string[];
    readonly role?: string;
  };
  readonly where?: string;
  readonly may: string;
  readonly given?: Readonly<Record<string, Json>>;
  readonly is: Reason;
  readonly by?: string;
};

export type Story = { readonly world: World; readonly situations: readonly Situation[]; readonly malformed: readonly Json[] };

function read<Shape>(file: string): Shape {
  return parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Shape;
}

export function tenantsStory(): Story {
  return { ...read<Omit<Story, 'malformed'>>('tenants.yaml'), malformed: [] };
}

type ConditionFile = {
  readonly user: { readonly name: string; readonly metadata: Json };
  readonly role: { readonly name: string; readonly metadata: Json };
  readonly group: { readonly name: string; readonly metadata: Json };
  readonly conditions: readonly {
    readonly when: Json;
    readonly met: readonly Readonly<Record<string, Json>>[];
    readonly 'not met': readonly Readonly<Record<string, Json>>[];
  }[];
  readonly malformed: readonly Json[];
};

/**
 * Each condition becomes an action of one resource, permitted under it; each line one situation.
 */
export function conditionsStory(): Story {
  const { user, role, group, conditions, malformed } = read<ConditionFile>('conditions.yaml');
  const actions = conditions.map((_, index) => `Case${index + 1}`);
  const situations = conditions.flatMap(({ when, met, 'not met': unmet }, index) => {
    const ask = (given: Readonly<Record<string, Json>>, is: Reason): Situation => ({
      says: `${JSON.stringify(when)} given ${JSON.stringify(given)}`,
      who: user.name,
      where: 'lab',
      may: `Thing:${actions[index]}`,
      given,
      is,
      by: actions[index] ?? '',
    });
    return [
      ...met.map((given) => ask(given, 'PERMISSION_GRANTED_CONDITION_MET')),
      ...unmet.map((given) => ask(given, 'PERMISSION_FOUND_CONDITION_NOT_MET')),
    ];
  });
  const permissions = Object.fromEntries(
    conditions.map(({ when }, index) => [actions[index], { in: 'lab', allows: `Thing:${actions[index]}`, when }]),
  );
  return {
    world: {
      accounts: {},
      organizations: { acme: { owner: 'olivia' } },
      projects: { lab: { in: 'acme' } },
      resources: { 'lab/Thing': actions },
      permissions,
      groups: { [group.name]: { in: 'lab', has: actions, metadata: group.metadata } },
      roles: { [role.name]: { in: 'lab', has: [group.name], heldBy: [user.name], metadata: role.metadata } },
      metadata: { [user.name]: user.metadata },
    },
    situations,
    malformed,
  };
}
