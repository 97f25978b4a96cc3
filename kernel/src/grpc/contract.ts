/**
 * Binds a service of proto/ to the wire. The generated types (proto/generated) are read from the same reflection:
 * camelCase names, 64-bit integers as number, unset `optional` fields absent, all others filled with their defaults.
 */
import { fileURLToPath } from 'node:url';
import type { ServiceDefinition } from '@grpc/grpc-js';
import type { Services } from '@tessera/proto/types/services';
import protobuf from 'protobufjs';

export type ServiceName = keyof Services & string;

const roots = new Map<string, protobuf.Root>();

function rootOf(path: string): protobuf.Root {
  const known = roots.get(path);
  if (known !== undefined) return known;
  const root = new protobuf.Root();
  root.loadSync(fileURLToPath(import.meta.resolve(`@tessera/proto/${path}/service.proto`))).resolveAll();
  roots.set(path, root);
  return root;
}

/** Spoken by the kernel's own client and server, beneath the services. */
export const CALLS = 'call.v1.Calls';
export const OPEN_PATH = `/${CALLS}/Open`;

function reflect(service: ServiceName | typeof CALLS): protobuf.Service {
  return rootOf(service.replace(/\.[^.]+$/, '').replaceAll('.', '/')).lookupService(service);
}

/** A message field that is not `optional` must have come: there is no default for a message. */
function requireMessages(type: protobuf.Type, seen = new Map<protobuf.Type, (value: Record<string, unknown>) => void>()) {
  const known = seen.get(type);
  if (known !== undefined) return known;
  const fields = type.fieldsArray.filter((field) => field.resolvedType instanceof protobuf.Type);
  const check = (value: Record<string, unknown>): void => {
    for (const [field, inner] of inners) {
      const part = value[field.name];
      if (part === null) throw new Error(`${field.fullName} is missing`);
      if (Array.isArray(part)) part.forEach(inner);
      else if (part !== undefined) inner(part as Record<string, unknown>);
    }
  };
  seen.set(type, check);
  const inners = fields.map((field) => [field, requireMessages(field.resolvedType as protobuf.Type, seen)] as const);
  return check;
}

function codec(type: protobuf.Type) {
  const check = requireMessages(type);
  return {
    serialize: (value: object): Buffer => Buffer.from(type.encode(value).finish()),
    deserialize: (wire: Buffer): object => {
      const value = type.toObject(type.decode(wire), { defaults: true, longs: Number, enums: String });
      check(value);
      return value;
    },
  };
}

function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** The definition that grpc-js serves and calls, keyed by the camelCase method names of the generated types. */
export function definitionOf(service: ServiceName | typeof CALLS): ServiceDefinition {
  return Object.fromEntries(
    reflect(service).methodsArray.map((method) => {
      const { resolvedRequestType, resolvedResponseType } = method.resolve() as protobuf.Method;
      if (!resolvedRequestType || !resolvedResponseType) throw new Error(`${method.fullName} names an unknown message`);
      const request = codec(resolvedRequestType);
      const response = codec(resolvedResponseType);
      return [
        camelCase(method.name),
        {
          path: `/${service}/${method.name}`,
          requestStream: method.requestStream === true,
          responseStream: method.responseStream === true,
          requestSerialize: request.serialize,
          requestDeserialize: request.deserialize,
          responseSerialize: response.serialize,
          responseDeserialize: response.deserialize,
        },
      ];
    }),
  );
}
