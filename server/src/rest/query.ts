import { failures, reasons } from '@tessera/kernel/errors';
import type { TSchema } from 'typebox';

type Shape = { readonly type?: unknown; readonly anyOf?: unknown };

function isShape(value: unknown): value is Shape & Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function propertiesOf(schema: TSchema): Readonly<Record<string, unknown>> {
  const properties = 'properties' in schema ? schema.properties : undefined;
  return isShape(properties) ? properties : {};
}

/**
 * Converts a query parameter by its schema. The repetitions of a list are joined. Validation
 * refuses what does not convert.
 */
function read(name: string, schema: unknown, value: unknown): unknown {
  const type = isShape(schema) ? schema.type : undefined;
  if (type === 'array') return (Array.isArray(value) ? value : [value]).flatMap((text) => listed(String(text)));
  const text = single(name, value);
  if (type === 'integer' || type === 'number') return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return name === 'sortOrder' ? text.toLowerCase() : text;
}

function listed(text: string): string[] {
  return text === '' ? [] : text.split(',').map((part) => part.trim());
}

function single(name: string, value: unknown): string {
  if (typeof value !== 'string') throw failures.validation(name, reasons.repeated);
  return value;
}

/** `scopeId` and `tenant` become `scope`. Unknown parameters stay for validation to name. */
export function readQuery(schema: TSchema, query: unknown): Record<string, unknown> {
  const properties = propertiesOf(schema);
  const entries: [name: string, value: unknown][] = [];
  for (const [name, value] of Object.entries(isShape(query) ? query : {})) {
    if (properties.scope !== undefined && (name === 'scopeId' || name === 'tenant')) continue;
    if (name === 'scope' || name.startsWith('scope['))
      throw failures.validation('scope', { en: 'is passed as scopeId and tenant', de: 'wird als scopeId und tenant angegeben' });
    entries.push([name, read(name, Object.hasOwn(properties, name) ? properties[name] : undefined, value)]);
  }
  const scope = properties.scope === undefined ? undefined : scopeOfQuery(isShape(query) ? query : {}, isRequired(schema, 'scope'));
  // Unlike an assignment, this keeps the name __proto__, so that validation refuses it.
  const input = Object.fromEntries(entries);
  return scope === undefined ? input : { ...input, scope };
}

function isRequired(schema: TSchema, name: string): boolean {
  return 'required' in schema && Array.isArray(schema.required) && schema.required.includes(name);
}

function scopeOfQuery({ scopeId, tenant }: Readonly<Record<string, unknown>>, isNeeded: boolean): object | undefined {
  if (scopeId === undefined && tenant === undefined && !isNeeded) return undefined;
  if (scopeId === undefined) throw failures.validation('scopeId', reasons.required);
  if (tenant === undefined) throw failures.validation('tenant', reasons.required);
  return { tenant: single('tenant', tenant), id: single('scopeId', scopeId) };
}

/** The input of a POST, PUT or PATCH: the body and the path's ids, which it must not repeat. */
export function readBody(body: unknown, params: unknown): unknown {
  if (body === undefined || body === null) return isShape(params) ? { ...params } : {};
  if (!isShape(body) || Array.isArray(body)) throw failures.validation('body', { en: 'must be an object', de: 'muss ein Objekt sein' });
  for (const name of Object.keys(isShape(params) ? params : {})) {
    if (Object.hasOwn(body, name)) throw failures.validation(name, { en: 'stands in the path', de: 'steht im Pfad' });
  }
  return { ...body, ...(isShape(params) ? params : {}) };
}
