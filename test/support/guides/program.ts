/** A person signs in by a program that is made of the lines of a page. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from '@jest/globals';
import { decodeJwt } from 'jose';
import { openPersonsBrowser, sayYes } from '../packages/person-browser.ts';
import type { SystemStack } from '../shared-stack.ts';
import type { Person } from '../world.ts';

export type Program = {
  readonly run: readonly [command: string, ...args: string[]];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly redirectUri: string;
};

/**
 * The program prints where a person signs in, reads the address that the browser comes back to, and
 * prints the ID token. Returns its claims.
 */
export async function signInBy(stack: SystemStack, person: Person, { run: [command, ...args], folder, env, redirectUri }: Program) {
  const child = spawn(command, args, { cwd: folder, env, stdio: 'pipe' });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => (await lines.next()).value ?? '';
  const ended = once(child, 'close');
  const address = await line();
  expect(address).toStrictEqualFor(complaints, expect.stringMatching(/^http.*\/oauth\/authorize\?/));
  const browser = await openPersonsBrowser(stack, person.email);
  child.stdin.end(`${await sayYes(browser, address, redirectUri)}\n`);
  let printed = '';
  for (let next = await line(); next !== ''; next = await line()) printed = next;
  await ended;
  expect(printed).toStrictEqualFor(complaints, expect.stringMatching(/^\{"idToken": ?"/));
  return decodeJwt(JSON.parse(printed).idToken);
}

/** The two parts of a page in one program: what it does at the start, and at the redirect URI. */
export function programOf(code: string): string {
  const [begin = '', end = ''] = code.split('// At the redirect URI:');
  return `import { createInterface } from 'node:readline';
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
${begin}
console.log(url.href);
const request = { url: (await lines.next()).value };
${end}
console.log(JSON.stringify({ idToken: tokens.id_token }));
process.exit();
`;
}
