/** The guide's commands, one after another, on the running stack. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { openStack } from '../support/shared-stack.ts';

const stack = await openStack();
const guide = readFileSync(new URL('../../docs/guide.md', import.meta.url), 'utf8');

function blocks(language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);
}

test('every command of the guide works, and the last ones answer what the guide says', async () => {
  const commands = blocks('sh');
  expect(commands).toHaveLength(7);
  const env = { ...process.env, URL: stack.url, DATA_DIR: stack.dataDir, EMAIL: `${randomUUID()}@example.com` };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], { env });
  expect(stdout).toBe(blocks('text').join());
}, 60_000);
