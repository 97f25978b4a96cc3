/** The completion scripts in zsh and fish themselves, where they are installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { testUnless } from '../../../../test/support/unless.ts';
import { createProgram } from '../program.ts';
import { scriptFor } from './completion.ts';

const shells = {
  // A terminal of its own, because zsh completes in one only. The Tab key writes what is offered.
  zsh: `
zmodload zsh/zpty zsh/zselect
zpty terminal zsh -f -i
zpty -w terminal 'source ./completion.zsh'
zpty -w terminal 'compadd() { local -a hits; [[ "$*" == *-[OAD]* ]] || { builtin compadd -O hits "$@"; print -rl -- $hits >>offers }; builtin compadd "$@" }'
zpty -w terminal 'answer() { : >offers; zle complete-word; mv offers answer; zle kill-whole-line }; zle -N answer; bindkey "^I" answer'
while IFS= read -r line; do
  zpty -w -n terminal "$line"$'\\t'
  for ((pause = 0; pause < 1000; pause++)); do
    [[ -e answer ]] && break
    zselect -t 2
    zpty -r -t terminal shown
  done
  print -r -- \${(pj:\\t:)\${(f)"$(<answer)"}}
  rm answer
done`,
  fish: `
source ./completion.fish
while read --line line
  echo (string join -- \\t (complete -C $line | string replace -r '\\t.*' ''))
end`,
} as const;
type Shell = keyof typeof shells;

const cases: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['tessera im', ['import', 'import-tenant']],
  ['tessera --profile keys exp', ['export']],
  ['tessera keys --json rev', ['revoke']],
  ['tessera keys create --name list --ro', ['--role']],
  ['tessera export --a', ['--all', '--audit']],
  ['tessera import --from ', ['auth0', 'cognito', 'csv', 'keycloak', 'ndjson']],
  ['tessera completion z', ['zsh']],
  ['tessera apply -f peo', ['people.csv']],
  ['tessera import-tenant ac', ['acme']],
  ['tessera roles exp', []],
];

const program = createProgram();
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-shells-'));
  for (const shell of Object.keys(shells)) writeFileSync(join(folder, `completion.${shell}`), scriptFor(shell, program) ?? '');
  writeFileSync(join(folder, 'people.csv'), '');
  mkdirSync(join(folder, 'acme'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function offers(shell: Shell): readonly (readonly string[])[] {
  const said = execFileSync(shell, ['-c', shells[shell]], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
    // Without what the person has configured.
    env: { PATH: process.env['PATH'], TERM: 'dumb', LANG: 'C.UTF-8', HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    input: cases.map(([line]) => `${line}\n`).join(''),
  });
  const words = (line: string) => line.split('\t').map((word) => word.replace(/\/$/, ''));
  return said
    .split('\n')
    .slice(0, -1)
    .map((line) => words(line).filter(Boolean).toSorted());
}

for (const shell of Object.keys(shells) as Shell[]) {
  const reason = spawnSync(shell, ['-c', 'true']).status !== 0 && `NOT RUN in ${shell}, which is not installed here`;
  testUnless(reason)(`${shell} offers commands, options, values and files where they may stand`, () => {
    const found = offers(shell);
    for (const [index, [line, offered]] of cases.entries()) expect(found[index]).toStrictEqualFor(line, offered);
  });
}
