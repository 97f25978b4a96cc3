/**
 * TypeScript types of the gRPC contracts, by the generator of @grpc/proto-loader, with the options
 * that kernel/grpc loads them with. Beside its files stand indexes: one per package with its
 * messages, and one of all services.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { GeneratedFile, Step } from './step.ts';

const generator = createRequire(import.meta.url).resolve('@grpc/proto-loader/build/bin/proto-loader-gen-types.js');
const loaderOptions = ['--longs=Number', '--enums=String', '--defaults', '--includeComments'];
const outputOptions = ['--grpcLib=@grpc/grpc-js', '--importFileExtension=.ts', '--inputTemplate=%s__Input', '--outputTemplate=%s'];
const header = '// Generated from */v*/*.proto by `npm run generate`. Do not edit.\n';

function generate(folder: string, out: string): readonly GeneratedFile[] {
  const sources = globSync('*/v*/*.proto', { cwd: folder }).sort();
  execFileSync(process.execPath, [generator, ...loaderOptions, ...outputOptions, `--includeDirs=${folder}`, `--outDir=${out}`, ...sources]);
  // One file per message and service stands in its package's folder. The types of the whole package
  // definition are not used.
  return globSync('*/v*/*.ts', { cwd: out })
    .sort()
    .map((path) => ({ path, content: readFileSync(join(out, path), 'utf8').replaceAll(`${folder}/`, '') }));
}

function isService({ content }: GeneratedFile): boolean {
  return content.includes('extends grpc.ServiceDefinition');
}

function messageIndex(name: string, files: readonly GeneratedFile[]): GeneratedFile {
  const lines = files.map(({ path }) => {
    const message = basename(path, '.ts');
    return `import type { ${message} as _${message} } from './${path}';\nexport type ${message} = Message<_${message}>;\n`;
  });
  return { path: `${name}.ts`, content: [header, "import type { Message } from '../message.ts';\n", ...lines].join('') };
}

function serviceIndex(files: readonly GeneratedFile[]): GeneratedFile {
  const services = files.map(({ path }) => ({ path, name: basename(path, '.ts'), full: path.replaceAll('/', '.').replace(/\.ts$/, '') }));
  const imports = services.map(({ path, name }) => `import type { ${name}Definition } from './${path}';\n`);
  const entries = services.map(({ name, full }) => `  '${full}': Methods<${name}Definition>;\n`);
  const types = `\n/** Every gRPC service by its full name. */\nexport type Services = {\n${entries.join('')}};\n`;
  return { path: 'services.ts', content: [header, "import type { Methods } from '../message.ts';\n", ...imports, types].join('') };
}

export const protoTypes: Step = {
  name: 'proto types',
  async make(root) {
    const out = mkdtempSync(join(tmpdir(), 'tessera-proto-'));
    try {
      const files = generate(join(root, 'proto'), out);
      const packages = Map.groupBy(
        files.filter((file) => !isService(file)),
        ({ path }) => dirname(path).replaceAll('/', '.'),
      );
      const indexes = [...packages].map(([name, messages]) => messageIndex(name, messages));
      const all = [...files, ...indexes, serviceIndex(files.filter(isService))];
      return all.map(({ path, content }) => ({ path: `proto/generated/${path}`, content }));
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  },
};
