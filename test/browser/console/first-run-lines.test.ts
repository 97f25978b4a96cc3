/** Every line that the first steps show is run, in order, against a real stack. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { linesOf, openingOf, type Style, styles } from '../../../web/src/console/screens/first-run/lines.ts';
import { type Call, callsOf, signIn, stepNames, type Values } from '../../../web/src/console/screens/first-run/steps.ts';
import { installClient } from '../../support/packages/installed-client.ts';
import { openStack } from '../../support/shared-stack.ts';
import { createPerson, PASSWORD, type Person } from '../../support/world.ts';

const run = promisify(execFile);
type RunLine = (call: Call) => Promise<unknown>;

test.each(styles)('the lines of the first steps lead to a decision that says yes: %s', async (style) => {
  await using cleanup = new AsyncDisposableStack();
  const stack = await openStack();
  const person = await createPerson(stack, { type: 'personal' });
  const runLine = await runners[style](person, stack.url, cleanup);
  let values: Values = { email: person.email, myId: person.userId, needsAccount: true };
  const answered: string[] = [];
  for (const step of stepNames) {
    for (const index of callsOf(step, values).keys()) {
      const call = callsOf(step, values)[index];
      if (call === undefined) throw new Error(`${step} has no request ${index}`);
      const answer = await runLine(call);
      values = { ...values, ...call.keep(answer) };
      answered.push(call.operation);
      if (step === 'decision') {
        expect(answer).toMatchObject({ authorized: true, matchedPermission: { role: { name: 'Accountant' } } });
      }
    }
  }
  expect(answered).toHaveLength(12);
  // Nothing in capitals is left: each value came from the answer of an earlier line.
  expect(stepNames.flatMap((step) => callsOf(step, values).map((call) => linesOf(call, style, stack.url))).join('\n')).not.toMatch(
    /[A-Z]+_ID|CLIENT_SECRET|RESOURCE/,
  );
});

test('a name with quotes stays one value in every style', () => {
  const [call] = callsOf('project', { organizationId: 'o1', name: `Ada's "first" \\ $HOME` });
  if (call === undefined) throw new Error('No request');
  expect(linesOf(call, 'curl', '')).toContain(`"name":"Ada'\\''s \\"first\\" \\\\ $HOME"`);
  expect(linesOf(call, 'graphql', '')).toContain(`name: "Ada's \\"first\\" \\\\ $HOME"`);
  expect(linesOf(call, 'sdk', '')).toContain(`name: 'Ada\\'s "first" \\\\ $HOME'`);
});

const runners: Readonly<Record<Style, (person: Person, url: string, cleanup: AsyncDisposableStack) => Promise<RunLine>>> = {
  async curl(person, url) {
    const bash = async (line: string, token = '') => {
      const { stdout } = await run('bash', ['-c', line], { env: { ...process.env, TESSERA_TOKEN: token } });
      const { data, error } = JSON.parse(stdout);
      expect([line, error]).toStrictEqual([line, undefined]);
      return data;
    };
    const { accessToken } = await bash(withPassword(openingOf(signIn({ email: person.email }), 'curl', url)));
    return (call) => bash(linesOf(call, 'curl', url), accessToken);
  },
  async graphql({ client, email }) {
    const ask = async (line: string, token?: string) => {
      const { data, errors } = (await client.graphql(line, {}, token)).body;
      expect([line, errors]).toStrictEqual([line, undefined]);
      return Object.values(data)[0];
    };
    const { accessToken } = (await ask(withPassword(openingOf(signIn({ email }), 'graphql', '')))) as { accessToken: string };
    return (call) => ask(linesOf(call, 'graphql', ''), accessToken);
  },
  async sdk(person, url, cleanup) {
    const folder = installClient(cleanup);
    const opening = withPassword(openingOf(signIn({ email: person.email }), 'sdk', url));
    return async (call) => {
      writeFileSync(join(folder, 'lines.mjs'), `${opening}\n${linesOf(call, 'sdk', url)}\nconsole.log(JSON.stringify(${call.result}));\n`);
      const { stdout } = await run(process.execPath, ['lines.mjs'], { cwd: folder });
      return JSON.parse(stdout);
    };
  },
};

function withPassword(line: string): string {
  return line.replace('PASSWORD', PASSWORD);
}
