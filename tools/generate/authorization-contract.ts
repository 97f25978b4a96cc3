/**
 * The gRPC contract of decisions as a module of @tessera/authorizer: its package then needs no file
 * beside its code, which bundlers would leave behind.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Step } from './step.ts';

type Root = { loadSync(file: string): { toJSON(): object } };
// The parser that @grpc/proto-loader itself uses.
const { Root: ProtoRoot } = createRequire(createRequire(import.meta.url).resolve('@grpc/proto-loader'))('protobufjs') as {
  readonly Root: new () => Root;
};

const source = 'proto/rbac/v1/authorization.proto';
/** What the package calls (packages/authorizer/src/grpc.ts). It carries no other message. */
const calls = ['IsAuthorizedMany', 'ListPermissions'];

type Message = { readonly fields?: Readonly<Record<string, { readonly type: string }>> };
type Service = { readonly methods: Readonly<Record<string, { readonly requestType: string; readonly responseType: string }>> };
type Types = Readonly<Record<string, Message>> & { readonly Authorization: Service };
type Contract = { readonly nested: { readonly rbac: { readonly nested: { readonly v1: { readonly nested: Types } } } } };

/** The methods that are called, and the messages that they reach. */
function pruned({ nested: { rbac } }: Contract): object {
  const { Authorization, ...messages } = rbac.nested.v1.nested;
  const methods = Object.fromEntries(Object.entries(Authorization.methods).filter(([name]) => calls.includes(name)));
  const reached = new Set<string>();
  const reach = (name: string): void => {
    if (reached.has(name) || !(name in messages)) return;
    reached.add(name);
    for (const { type } of Object.values(messages[name]?.fields ?? {})) reach(type);
  };
  for (const { requestType, responseType } of Object.values(methods)) [requestType, responseType].forEach(reach);
  const kept = Object.fromEntries(Object.entries(messages).filter(([name]) => reached.has(name)));
  return { nested: { rbac: { nested: { v1: { nested: { Authorization: { methods }, ...kept } } } } } };
}

export const authorizationContract: Step = {
  name: 'contract of decisions',
  make: async (root) => {
    const contract = JSON.stringify(pruned(new ProtoRoot().loadSync(join(root, source)).toJSON() as Contract), (name, value) =>
      // Callers need no options: what may be sent again, the transport states itself.
      name === 'options' || name === 'parsedOptions' ? undefined : value,
    );
    return [
      {
        path: 'packages/authorizer/src/generated/contract.ts',
        content: [
          `// Generated from ${source} by \`npm run generate\`. Do not edit.`,
          "import type { fromJSON } from '@grpc/proto-loader';\n",
          'export const contract: Parameters<typeof fromJSON>[0] = JSON.parse(',
          `  ${JSON.stringify(contract)},`,
          ');\n',
        ].join('\n'),
      },
    ];
  },
};
