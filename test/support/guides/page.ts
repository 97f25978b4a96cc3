/** A page of docs/guides as its reader follows it: files, commands and their answers. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { repositoryFolder } from '../../../tools/stack/repository.ts';

export type Block = { readonly language: string; readonly name: string; readonly text: string };
export type Env = Readonly<Record<string, string>>;

export const guidesFolder = join(repositoryFolder, 'docs', 'guides');

/** The blocks of code; the name of a file stands behind the language. */
export function blocksOf(file: string): readonly Block[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^```(\w*)(?: (\S+))?\n(.*?)^```$/gms)].map(([, language = '', name = '', body = '']) => ({
    language,
    name,
    text: body,
  }));
}

export type Page = {
  readonly folder: string;
  /** What the commands have printed. */
  run(env: Env): Promise<string>;
  /** What the page says that they print. */
  readonly answer: string;
};

/** Writes the files of a page into a folder. The port of the page is replaced by a free one. */
export function openPage(name: string, folder: string, port: number): Page {
  const blocks = blocksOf(join(guidesFolder, `${name}.md`)).map((block) => ({
    ...block,
    text: block.text.replaceAll('8080', String(port)),
  }));
  for (const { name: file, text } of blocks.filter((block) => block.name !== '')) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const of = (language: string) => blocks.filter((block) => block.language === language).map(({ text }) => text);
  return {
    folder,
    answer: of('text').join(''),
    run: async (env) => {
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', of('sh').join('\n')], { cwd: folder, env });
      return stdout;
    },
  };
}

/** Starts a program of a page, and waits for the address that it prints. */
export async function start(cleanup: AsyncDisposableStack, command: string, args: readonly string[], cwd: string, env: Env): Promise<void> {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  cleanup.defer(() => stop(child));
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('http://')) return;
  throw new Error(`${command} ${args.join(' ')} ended before it listened`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
