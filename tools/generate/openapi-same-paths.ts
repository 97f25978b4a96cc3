type Json = Readonly<Record<string, unknown>>;
type Parameter = Json & { readonly name: string };
type Operation = Json & { readonly parameters?: readonly Parameter[] };
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/**
 * Paths that differ only by a parameter's name become one, with the first one's names. OpenAPI
 * forbids such paths, but REST may have them: `GET /x/:token` and `DELETE /x/:id`.
 */
export function joinSamePaths(paths: unknown): Paths {
  const firsts = new Map<string, string>();
  const joined: Record<string, Readonly<Record<string, Operation>>> = {};
  for (const [path, methods] of Object.entries(paths as Paths)) {
    const shape = path.replaceAll(/\{\w+\}/g, '{}');
    const first = firsts.get(shape) ?? path;
    firsts.set(shape, first);
    const renamed = Object.entries(methods).map(([method, operation]) => [method, rename(operation, namesOf(path), namesOf(first))]);
    joined[first] = { ...joined[first], ...Object.fromEntries(renamed) };
  }
  return joined;
}

function namesOf(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function rename(operation: Operation, from: readonly string[], to: readonly string[]): Operation {
  if (from.join() === to.join()) return operation;
  const parameters = (operation.parameters ?? []).map((parameter) => {
    const name = parameter['in'] === 'path' ? (to[from.indexOf(parameter.name)] ?? parameter.name) : parameter.name;
    return name === parameter.name ? parameter : { ...parameter, name, description: `\`${parameter.name}\` in GraphQL and the client` };
  });
  return { ...operation, parameters };
}
