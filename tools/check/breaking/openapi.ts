import type { Break } from './break.ts';
import { isJson, type Json, schemaFaults } from './schemas.ts';

type Operation = Json;

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isJson(inner) ? inner[name] : undefined), value);
}

/** The document with each reference replaced by what it leads to. */
function resolved(value: unknown, document: Json): unknown {
  if (Array.isArray(value)) return value.map((one) => resolved(one, document));
  if (!isJson(value)) return value;
  const reference = value['$ref'];
  if (typeof reference === 'string') return resolved(at(document, ...reference.slice(2).split('/')), document);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolved(inner, document)]));
}

/** Operations by method and path, whatever the parameters of the path are called. */
function operationsOf(document: Json): ReadonlyMap<string, { readonly name: string; readonly operation: Operation }> {
  const paths = Object.entries(isJson(document['paths']) ? document['paths'] : {});
  return new Map(
    paths.flatMap(([path, methods]) =>
      Object.entries(isJson(methods) ? methods : {}).flatMap(([method, operation]) => {
        const name = `${method.toUpperCase()} ${path}`;
        const whole = resolved(operation, document);
        return isJson(whole) ? [[name.replaceAll(/\{\w+\}/g, '{}'), { name, operation: whole }] as const] : [];
      }),
    ),
  );
}

function parametersOf({ parameters }: Operation): ReadonlyMap<string, Json> {
  const own = (Array.isArray(parameters) ? parameters : []).filter(isJson).filter((one) => one['in'] !== 'path');
  return new Map(own.map((one) => [`${String(one['in'])} ${String(one['name'])}`, one]));
}

function parameterFaults(before: Operation, now: Operation): readonly string[] {
  const [from, to] = [parametersOf(before), parametersOf(now)];
  const needed = [...to].filter(([name, { required }]) => required === true && from.get(name)?.['required'] !== true);
  const kept = [...from].flatMap(([name, one]) => {
    const other = to.get(name);
    if (other === undefined) return [`${name} is gone`];
    return isJson(one['schema']) && isJson(other['schema'])
      ? schemaFaults(one['schema'], other['schema'], { side: 'request', path: name })
      : [];
  });
  return [...kept, ...needed.map(([name]) => `${name} is required`)];
}

function bodyFaults(before: Operation, now: Operation): readonly string[] {
  const bodyOf = (operation: Operation) => at(operation, 'requestBody', 'content', 'application/json', 'schema');
  const [from, to] = [bodyOf(before), bodyOf(now)];
  if (isJson(from) && isJson(to)) return schemaFaults(from, to, { side: 'request', path: 'body' });
  if (isJson(from)) return ['the body is gone'];
  return isJson(to) && at(now, 'requestBody', 'required') === true ? ['the body is required'] : [];
}

function answerFaults(before: Operation, now: Operation): readonly string[] {
  const succeeded = Object.entries(isJson(before['responses']) ? before['responses'] : {}).filter(([status]) => status.startsWith('2'));
  return succeeded.flatMap(([status, one]) => {
    const other = at(now, 'responses', status);
    if (other === undefined) return [`status ${status} is gone`];
    const schemaOf = (answer: unknown) => at(answer, 'content', 'application/json', 'schema');
    const [from, to] = [schemaOf(one), schemaOf(other)];
    if (isJson(from) && !isJson(to)) return [`the answer ${status} has no JSON any more`];
    return isJson(from) && isJson(to) ? schemaFaults(from, to, { side: 'response', path: '' }) : [];
  });
}

function accessFaults(before: Operation, now: Operation): readonly string[] {
  const isOpen = ({ security }: Operation) =>
    Array.isArray(security) && (security.length === 0 || security.some((one) => isJson(one) && Object.keys(one).length === 0));
  const [from, to] = [before['x-permission'], now['x-permission']];
  return [
    ...(isOpen(before) && !isOpen(now) ? ['a token is needed'] : []),
    ...(to !== undefined && from !== undefined && from !== to
      ? [`the permission ${String(to)} is needed, in place of ${String(from)}`]
      : []),
  ];
}

export function openApiBreaks(before: Json, now: Json): readonly Break[] {
  const current = operationsOf(now);
  return [...operationsOf(before)].flatMap(([key, { name, operation }]) => {
    const other = current.get(key);
    if (other === undefined) return [{ subject: name, what: 'the operation is gone' }];
    const faults = [parameterFaults, bodyFaults, answerFaults, accessFaults].flatMap((faultsOf) => faultsOf(operation, other.operation));
    return faults.map((what) => ({ subject: other.name, what }));
  });
}

/** What the release said it would take away, and the day from which it may. */
export function sunsetsOf(document: Json): ReadonlyMap<string, string> {
  const ends = [...operationsOf(document).values()].map(({ name, operation }) => [name, at(operation, 'x-deprecation', 'sunset')] as const);
  return new Map(ends.flatMap(([name, day]) => (typeof day === 'string' ? [[name, day]] : [])));
}
