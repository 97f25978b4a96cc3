/** What can be done in a scope, as TypeScript: what no resource has does not compile. */

/** The actions of each resource, by its slug. */
export type ActionsBySlug = ReadonlyMap<string, readonly string[]>;

function union(actions: readonly string[]): string {
  return actions.length === 0 ? 'never' : actions.map((action) => JSON.stringify(action)).join(' | ');
}

const helpers = `export type Resource = keyof Actions;
export type Action<Of extends Resource = Resource> = Actions[Of];
/** A resource with one of its own actions. */
export type Permission = { [Of in Resource]: { readonly resource: Of; readonly action: Actions[Of] } }[Resource];
/** As apps and their tokens name it: \`resource:action\`. */
export type PermissionScope = { [Of in Resource]: \`\${Of}:\${Actions[Of]}\` }[Resource];

/** The same input, whose resources and actions are those above. */
type Narrowed<Given> = Given extends { readonly resource: string; readonly action: string }
  ? Omit<Given, 'resource' | 'action'> & Permission
  : Given extends readonly (infer One)[]
    ? readonly Narrowed<One>[]
    : Given extends object
      ? { [Name in keyof Given]: Narrowed<Given[Name]> }
      : Given;
type NarrowedCall<Call> = Call extends (input: infer Given, ...rest: infer Rest) => infer Answer
  ? (input: Narrowed<Given>, ...rest: Rest) => Answer
  : Call;
type Questions =
  | 'isAuthorized' | 'isAuthorizedMany' | 'findSubjects' | 'findResources' // @tessera/client
  | 'decide' | 'decideMany' | 'explain'; // @tessera/authorizer, with isAuthorized

/** A client, an authorizer or \`useAuthorized\`, whose questions are about the resources above. */
export type Typed<Api> = Api extends (...given: never[]) => unknown
  ? NarrowedCall<Api>
  : { [Name in keyof Api]: Name extends Questions ? NarrowedCall<Api[Name]> : Api[Name] };

/** \`const tessera = typed(createClient(…))\`: the same object; only its type is another. */
export function typed<Api extends object>(api: Api): Typed<Api> {
  return api as unknown as Typed<Api>;
}

/** One permission, for calls that take it as it is. */
export function permission<Of extends Resource>(resource: Of, action: Actions[Of]): { resource: Of; action: Actions[Of] } {
  return { resource, action };
}
`;

export function toTypeScript(actions: ActionsBySlug, scope: string): string {
  const lines = [...actions]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([slug, names]) => `  readonly ${JSON.stringify(slug)}: ${union([...new Set(names)].sort())};\n`);
  const head = `// Written by \`tessera types\` from ${JSON.stringify(scope)}. Run it again when the access model changes.\n/* eslint-disable */\n`;
  return `${head}\n/** The actions of each resource, by its slug. */\nexport interface Actions {\n${lines.join('')}}\n${helpers}`;
}
