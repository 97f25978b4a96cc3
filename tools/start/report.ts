import { join } from 'node:path';
import type { Stack } from '../stack/stack.ts';

function seconds(ms: number) {
  return `${(ms / 1000).toFixed(2)} s`;
}

export function say(line: string) {
  return console.log(`[${new Date().toISOString().slice(11, 19)}] ${line}`);
}

export function sayStep(name: string, ms: number) {
  return console.log(`  ${name.padEnd(14)} ${seconds(ms)}`);
}

/** Everything a newcomer needs next: where things are, and three lines to paste. */
export function sayReady({ dataDir }: Stack, url: string, noticeCarrier: string, fakeProviderUrl: string | undefined): void {
  const account = `'{"provider":"email","providerId":"ada@example.com","providerData":{"password":"Correct-Horse-42"}}'`;
  const json = `-H 'content-type: application/json'`;
  const lines = [
    '',
    `Tessera is ready after ${seconds(performance.now())}`,
    '',
    `  Console      ${url}/console`,
    '',
    `  API          ${url}/api`,
    `  GraphQL IDE  ${url}/graphql`,
    `  API docs     ${url}/api-docs`,
    `  Mails        open ${join(dataDir, 'outbox')} in a browser: a page for each mail, the newest last`,
    `  Logs         ${join(dataDir, 'logs')}`,
    `  Notices      ${noticeCarrier}`,
    ...(fakeProviderUrl === undefined ? [] : [`  Fake provider ${fakeProviderUrl} (${url}/api/auth/codehost?action=register)`]),
    '',
    'Try this:',
    `  curl -sw '\\n' ${url}/api/auth/register ${json} -d ${account}`,
    `  TOKEN=$(curl -s ${url}/api/auth/login ${json} -d ${account} | grep -o '"accessToken":"[^"]*' | cut -d'"' -f4)`,
    `  curl -sw '\\n' ${url}/api/me -H "authorization: Bearer $TOKEN"`,
    '',
    'Ctrl-C stops everything.',
  ];
  console.log(lines.join('\n'));
}
