/**
 * TypeScript types of the gRPC contracts, read from the same protobufjs reflection that serves them (kernel/grpc):
 * camelCase names, 64-bit integers as number, `optional` fields absent when unset, everything else always there.
 * A sender has to give every field that is not `optional`, so that a forgotten one is a compile error and not a silent default.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import type { GeneratedFile, Step } from './step.ts';

const scalars: Readonly<Record<string, string>> = { string: 'string', bool: 'boolean', bytes: 'Uint8Array' };

function fieldType(field: protobuf.Field): string {
  const { resolvedType } = field.resolve();
  if (resolvedType instanceof protobuf.Enum) return Object.values(resolvedType.values).join(' | ');
  return resolvedType?.name ?? scalars[field.type] ?? 'number';
}

function comment(text: string | null, indent: string): string {
  return text === null ? '' : `${indent}/** ${text.replaceAll(/\s*\n\s*/g, ' ')} */\n`;
}

function fieldLine(field: protobuf.Field): string {
  const type = fieldType(field);
  const optional = !field.repeated && field.partOf !== null && field.partOf !== undefined;
  const shown = field.repeated ? `readonly ${/\W/.test(type) ? `(${type})` : type}[]` : type;
  return `${comment(field.comment, '  ')}  ${field.name}${optional ? `?: ${shown} | undefined` : `: ${shown}`};\n`;
}

function messageType(type: protobuf.Type): string {
  return type.fieldsArray.length === 0
    ? `export type ${type.name} = Record<never, never>;\n`
    : `${comment(type.comment, '')}export type ${type.name} = {\n${type.fieldsArray.map(fieldLine).join('')}};\n`;
}

function methodName(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Those that stream are spoken by the kernel itself. */
function unaryMethods({ methodsArray }: protobuf.Service): readonly protobuf.Method[] {
  return methodsArray.filter(({ requestStream, responseStream }) => !requestStream && !responseStream);
}

function methodLine(method: protobuf.Method): string {
  const { resolvedRequestType, resolvedResponseType } = method.resolve() as protobuf.Method;
  if (!resolvedRequestType || !resolvedResponseType) throw new Error(`${method.fullName} names an unknown message`);
  const types = `{ request: ${resolvedRequestType.name}; response: ${resolvedResponseType.name} }`;
  return `${comment(method.comment, '  ')}  ${methodName(method.name)}: ${types};\n`;
}

function serviceType(service: protobuf.Service): string {
  return `${comment(service.comment, '')}export type ${service.name}Methods = {\n${unaryMethods(service).map(methodLine).join('')}};\n`;
}

function header(source: string) {
  return `// Generated from ${source} by \`npm run generate\`. Do not edit.\n`;
}

function members(namespace: protobuf.NamespaceBase) {
  return {
    types: namespace.nestedArray.filter((member) => member instanceof protobuf.Type),
    services: namespace.nestedArray
      .filter((member) => member instanceof protobuf.Service)
      .filter((service) => unaryMethods(service).length > 0),
  };
}

export const protoTypes: Step = {
  name: 'proto types',
  async make(root) {
    const sources = globSync('*/v*/service.proto', { cwd: join(root, 'proto') }).sort();
    const files: GeneratedFile[] = [];
    const imports: string[] = [];
    const entries: string[] = [];
    for (const source of sources) {
      const name = source.replace('/service.proto', '').replace('/', '.');
      const { types, services } = members(
        new protobuf.Root()
          .loadSync(join(root, 'proto', source), { alternateCommentMode: true })
          .resolveAll()
          .lookup(name) as protobuf.Namespace,
      );
      const content = [header(source), ...types.map(messageType), ...services.map(serviceType)].join('\n');
      files.push({ path: `proto/generated/${name}.ts`, content });
      if (services.length > 0)
        imports.push(`import type { ${services.map((service) => `${service.name}Methods`).join(', ')} } from './${name}.ts';\n`);
      entries.push(...services.map((service) => `  '${name}.${service.name}': ${service.name}Methods;\n`));
    }
    const index = `${header('*/v*/service.proto')}${imports.join('')}\n/** Every gRPC service by its full name. */\nexport type Services = {\n${entries.join('')}};\n`;
    return [...files, { path: 'proto/generated/services.ts', content: index }];
  },
};
