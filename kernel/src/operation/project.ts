import type { TSchema } from 'typebox';
import { isRecord } from './validate.ts';

type Project = (value: unknown) => unknown;

const same: Project = (value) => value;

function fieldOf(schema: unknown, name: string): unknown {
  return isRecord(schema) ? schema[name] : undefined;
}

function compile(schema: unknown): Project {
  const branches = fieldOf(schema, 'anyOf');
  if (Array.isArray(branches)) return compileUnion(branches);
  const items = fieldOf(schema, 'items');
  if (isRecord(items)) {
    const project = compile(items);
    return project === same ? same : (value) => (Array.isArray(value) ? value.map(project) : value);
  }
  const properties = fieldOf(schema, 'properties');
  return isRecord(properties) ? compileObject(properties) : same;
}

/** Unions here are 'this or null': the branch with properties counts. */
function compileUnion(branches: readonly unknown[]): Project {
  const structured = branches.map(compile).filter((project) => project !== same);
  const [only] = structured;
  return only !== undefined && structured.length === 1 ? only : same;
}

function compileObject(properties: Readonly<Record<string, unknown>>): Project {
  const fields = Object.entries(properties).map(([name, schema]) => ({ name, project: compile(schema) }));
  return (value) => {
    if (!isRecord(value) || Array.isArray(value)) return value;
    const shown: Record<string, unknown> = {};
    for (const { name, project } of fields) {
      const item = value[name];
      if (item !== undefined) shown[name] = project === same ? item : project(item);
    }
    return shown;
  };
}

const projections = new WeakMap<TSchema, Project>();

/** Keeps only the output schema's fields, so that no column leaves by accident. */
export function projectOutput(schema: TSchema, value: unknown): unknown {
  const project = projections.get(schema) ?? compile(schema);
  projections.set(schema, project);
  return project(value);
}
