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

export const authorizationContract: Step = {
  name: 'contract of decisions',
  make: async (root) => {
    const contract = JSON.stringify(new ProtoRoot().loadSync(join(root, source)).toJSON(), (name, value) =>
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
