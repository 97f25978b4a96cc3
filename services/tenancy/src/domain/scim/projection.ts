/** Which attributes an answer has (RFC 7644, section 3.9). */
import { isObject, type Json } from './resource.ts';
import { findTarget, type ResourceType, type Target } from './schema.ts';

export type Selection = {
  readonly attributes: readonly string[] | undefined;
  readonly excludedAttributes: readonly string[] | undefined;
};

const always = ['schemas', 'id'];

/** Unknown names select nothing, and refuse nothing. */
function targetsOf(type: ResourceType, names: readonly string[]): readonly Target[] {
  return names.flatMap((name) => findTarget(type, name.trim()) ?? []);
}

/** Whether an answer has the attribute or a part of it. */
export function isSelected(type: ResourceType, name: string, { attributes, excludedAttributes }: Selection): boolean {
  const isNamed = ({ attribute, sub }: Target) => attribute?.name === name && (sub === undefined || attributes !== undefined);
  if (attributes !== undefined) return targetsOf(type, attributes).some(isNamed);
  return !targetsOf(type, excludedAttributes ?? []).some(isNamed);
}

export function project(type: ResourceType, resource: Json, { attributes, excludedAttributes }: Selection): Json {
  if (attributes !== undefined) return only(resource, targetsOf(type, attributes));
  return excludedAttributes === undefined ? resource : targetsOf(type, excludedAttributes).reduce(without, resource);
}

function without(resource: Json, { extension, attribute, sub }: Target): Json {
  if (extension !== undefined) {
    const inside = resource[extension];
    if (attribute === undefined || !isObject(inside)) return omit(resource, extension);
    return { ...resource, [extension]: without(inside, { extension: undefined, attribute, sub }) };
  }
  if (attribute === undefined || always.includes(attribute.name)) return resource;
  const value = resource[attribute.name];
  if (sub === undefined || value === undefined) return omit(resource, attribute.name);
  return { ...resource, [attribute.name]: ofParts(value, (part) => omit(part, sub.name)) };
}

function only(resource: Json, targets: readonly Target[]): Json {
  const kept: Record<string, unknown> = Object.fromEntries(Object.entries(resource).filter(([name]) => always.includes(name)));
  for (const target of targets) {
    const { extension, attribute } = target;
    if (extension === undefined) add(kept, resource, target);
    else if (attribute === undefined) kept[extension] = resource[extension];
    else {
      const inside = resource[extension];
      const before = kept[extension];
      const chosen: Record<string, unknown> = isObject(before) ? { ...before } : {};
      if (isObject(inside)) add(chosen, inside, target);
      if (Object.keys(chosen).length > 0) kept[extension] = chosen;
    }
  }
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}

function add(kept: Record<string, unknown>, from: Json, { attribute, sub }: Target): void {
  if (attribute === undefined) return;
  const value = from[attribute.name];
  if (sub === undefined || value === undefined) {
    kept[attribute.name] = value;
    return;
  }
  const before = kept[attribute.name];
  const chosen = (part: Json, place: number): Json => {
    const already = Array.isArray(before) ? before[place] : before;
    return { ...(isObject(already) ? already : {}), ...(part[sub.name] === undefined ? {} : { [sub.name]: part[sub.name] }) };
  };
  kept[attribute.name] = ofParts(value, chosen);
}

function ofParts(value: unknown, change: (part: Json, place: number) => Json): unknown {
  if (Array.isArray(value)) return value.map((part, place) => (isObject(part) ? change(part, place) : part));
  return isObject(value) ? change(value, 0) : value;
}

function omit(of: Json, name: string): Json {
  const { [name]: _, ...rest } = of;
  return rest;
}
