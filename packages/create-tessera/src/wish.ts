/** What the person wants: from the arguments, and from answers where a terminal can ask. */
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';

export const frameworks = ['next', 'express', 'fastify'] as const;
export type Framework = (typeof frameworks)[number];

export type Wish = {
  readonly folder: string;
  /** The folder's name: also that of the project and of the package. */
  readonly name: string;
  readonly framework: Framework;
  readonly url: string;
  /** Its id or slug; undefined: the only one, or a new one. */
  readonly organization: string | undefined;
  readonly port: number;
  readonly token: string;
};

/** What is wrong, in words for the person. */
export class Refusal extends Error {}

export const usage = `Usage: npm create tessera@latest <folder> -- [options]

  --framework <name>      ${frameworks.join(', ')}
  --url <address>         where Tessera is; else TESSERA_URL, else http://localhost:3000
  --organization <name>   id or short name; needed where you are in several
  --port <number>         where the application will listen: 8080
  --yes                   asks nothing
  --help

TESSERA_TOKEN is your access token: in the console, or what the answer of POST /api/auth/login has as accessToken.
`;

type Ask = (question: string, usual: string) => Promise<string>;

function terminal(isQuiet: boolean): { readonly ask: Ask; readonly close: () => void } {
  if (isQuiet || !process.stdin.isTTY) return { ask: async (_question, usual) => usual, close: () => undefined };
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return { ask: async (question, usual) => (await lines.question(`${question} (${usual}) `)).trim() || usual, close: () => lines.close() };
}

/** Undefined: the person wants to read how it is used. */
export async function readWish(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Wish | undefined> {
  const { values, positionals } = parsed(args);
  if (values.help === true) return undefined;
  const [place, ...others] = positionals;
  if (place === undefined || others.length > 0) throw new Refusal(`Name one folder.\n\n${usage}`);
  const { ask, close } = terminal(values.yes === true);
  try {
    const framework = values.framework ?? (await ask(`Framework: ${frameworks.join(', ')}?`, 'next'));
    const url = values.url ?? environment['TESSERA_URL'] ?? (await ask('Where is Tessera?', 'http://localhost:3000'));
    const port = Number(values.port ?? 8080);
    const token = environment['TESSERA_TOKEN'] ?? '';
    const folder = resolve(place);
    if (!isFramework(framework)) throw new Refusal(`${framework} is not known. There are ${frameworks.join(', ')}.`);
    if (!URL.canParse(url)) throw new Refusal(`${url} is no address. It looks like https://iam.example.com.`);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Refusal('--port is a number from 1 to 65535.');
    if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(basename(folder)))
      throw new Refusal(`The folder's name becomes that of the package: small letters, digits, - . _, not ${basename(folder)}.`);
    if (token === '') throw new Refusal('Set TESSERA_TOKEN to your access token: it makes the project and its app. See --help.');
    return { folder, name: basename(folder), framework, url: url.replace(/\/$/, ''), organization: values.organization, port, token };
  } finally {
    close();
  }
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { framework: text, url: text, organization: text, port: text, yes: flag, help: flag },
    });
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n\n${usage}`);
  }
}

function isFramework(name: string): name is Framework {
  return (frameworks as readonly string[]).includes(name);
}
