import { createRequire } from 'node:module';
import type { Break } from './break.ts';
import { isJson, type Json } from './schemas.ts';

/** The parser of @grpc/proto-loader, which has no types of its own here. */
const { parse } = createRequire(createRequire(import.meta.url).resolve('@grpc/proto-loader'))('protobufjs') as {
  parse: (source: string, options: { readonly keepCase: boolean }) => { readonly root: { toJSON(): Json } };
};

type Field = { readonly id: number; readonly type: string; readonly rule?: string; readonly keyType?: string };
type Method = {
  readonly requestType: string;
  readonly responseType: string;
  readonly requestStream?: boolean;
  readonly responseStream?: boolean;
};
type Contract = {
  readonly fields: Map<string, Field>;
  readonly methods: Map<string, Method>;
  readonly values: Map<string, number>;
};

/** Every field, method and value of the files, by its full name. */
function contractOf(sources: readonly string[]): Contract {
  const contract: Contract = { fields: new Map(), methods: new Map(), values: new Map() };
  for (const source of sources) add(contract, '', parse(source, { keepCase: true }).root.toJSON());
  return contract;
}

function add(contract: Contract, path: string, node: Json): void {
  const each = <Value>(name: string, into: Map<string, Value>) => {
    for (const [own, value] of Object.entries(isJson(node[name]) ? node[name] : {})) into.set(`${path}.${own}`, value as Value);
  };
  each('fields', contract.fields);
  each('methods', contract.methods);
  each('values', contract.values);
  for (const [name, inner] of Object.entries(isJson(node['nested']) ? node['nested'] : {}))
    if (isJson(inner)) add(contract, path === '' ? name : `${path}.${name}`, inner);
}

function fieldText({ id, type, rule = '', keyType }: Field): string {
  return `${rule} ${keyType === undefined ? type : `map<${keyType}, ${type}>`} = ${id}`.trim();
}

/** On the wire a message has no name: another one serves that has all fields of the one before. */
function serves(before: Contract, now: Contract, method: string, [from, to]: readonly [string, string]): boolean {
  const prefix = method.replace(/\w+\.\w+$/, '');
  const fields = [...before.fields].filter(([name]) => name.startsWith(`${prefix}${from}.`));
  return (
    from === to ||
    fields.every(([name, field]) => {
      const other = now.fields.get(name.replace(`${prefix}${from}.`, `${prefix}${to}.`));
      return other !== undefined && fieldText(other) === fieldText(field);
    })
  );
}

function methodBreaks(before: Contract, now: Contract): readonly Break[] {
  return [...before.methods].flatMap(([subject, from]) => {
    const to = now.methods.get(subject);
    if (to === undefined) return [{ subject, what: 'the method is gone' }];
    const isStreamed = (method: Method) => `${method.requestStream === true} ${method.responseStream === true}`;
    const areKept =
      serves(before, now, subject, [from.requestType, to.requestType]) &&
      serves(before, now, subject, [from.responseType, to.responseType]);
    return areKept && isStreamed(from) === isStreamed(to) ? [] : [{ subject, what: 'takes or returns another message' }];
  });
}

function changes<Value>(before: Map<string, Value>, now: Map<string, Value>, textOf: (value: Value) => string): readonly Break[] {
  return [...before].flatMap(([subject, value]) => {
    const other = now.get(subject);
    if (other === undefined) return [{ subject, what: `${textOf(value)} is gone` }];
    return textOf(other) === textOf(value) ? [] : [{ subject, what: `is ${textOf(other)}, and was ${textOf(value)}` }];
  });
}

/** A new field breaks no client: one that does not know it skips it. */
export function protoBreaks(before: readonly string[], now: readonly string[]): readonly Break[] {
  const [from, to] = [contractOf(before), contractOf(now)];
  return [...changes(from.fields, to.fields, fieldText), ...methodBreaks(from, to), ...changes(from.values, to.values, String)];
}
