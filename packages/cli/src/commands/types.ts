import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type Globals, openContext } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { toTypeScript } from '../typescript.ts';

type TypesOptions = { readonly output?: string; readonly check?: boolean };

export function addTypes(program: Command): void {
  program
    .command('types')
    .description('resources and actions of a scope as TypeScript: a wrong one does not compile')
    .option('-o, --output <file>', 'write to a file')
    .option('--check', 'write nothing; exit code 4 when the file of --output is not up to date')
    .action(async ({ output: file, check = false }: TypesOptions, command: Command) => {
      if (check && file === undefined) throw new Failure('--check needs the file: --output <file>.', exitCodes.usage);
      const { client, output, scope } = openContext(command.optsWithGlobals<Globals>());
      const place = scope();
      const actions = new Map<string, readonly string[]>();
      for await (const resource of client.listResources({ scope: place, limit: 100 }))
        if (resource.isActive) actions.set(resource.slug, resource.actions);
      const text = toTypeScript(actions, `${place.tenant}:${place.id}`);
      if (file === undefined) return output.answer(Object.fromEntries(actions), text.trimEnd());
      const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === text;
      if (check) {
        if (!isCurrent) process.exitCode = exitCodes.no;
        return output.answer(
          { file, isCurrent },
          isCurrent ? `${file} is up to date.` : `${file} is not up to date: run \`tessera types\`.`,
        );
      }
      if (!isCurrent) writeFileSync(file, text);
      return output.answer({ file, resources: actions.size }, `${actions.size} resources written to ${file}.`);
    });
}
