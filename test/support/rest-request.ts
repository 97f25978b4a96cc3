/** The REST request of an operation: its input goes into the path, then the query or the body. */
import type { Operation } from '../../kernel/src/operation/declaration.ts';

type Declared = Pick<Operation<never>, 'name' | 'rest'>;

export function restRequest({ name, rest }: Declared, input: Readonly<Record<string, unknown>>) {
  if (!('method' in rest)) throw new Error(`${name} is not in REST`);
  const { method } = rest;
  const left = { ...input };
  const path = rest.path.replace(/:(\w+)/g, (_, parameter: string) => {
    const value = left[parameter];
    delete left[parameter];
    return encodeURIComponent(queryValue(value));
  });
  if (method === 'POST' || method === 'PUT' || method === 'PATCH') return { method, path, body: left };
  const { scope, ...others } = left;
  const query = new URLSearchParams(Object.entries(others).map(([key, value]): [string, string] => [key, queryValue(value)]));
  if (typeof scope === 'object' && scope !== null && !Array.isArray(scope)) {
    const { tenant, id } = scope as Readonly<Record<string, unknown>>;
    query.set('tenant', queryValue(tenant));
    query.set('scopeId', queryValue(id));
  }
  return { method, path: query.size === 0 ? path : `${path}?${query}` };
}

/** As text in an address; a structure travels as JSON, and what no address can hold is replaced. */
function queryValue(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(',').toWellFormed();
  return (typeof value === 'object' && value !== null ? (JSON.stringify(value) ?? '') : String(value)).toWellFormed();
}
