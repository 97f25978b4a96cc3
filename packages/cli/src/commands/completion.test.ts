import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../program.ts';
import { scriptFor } from './completion.ts';

const program = createProgram();
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-completion-'));
  writeFileSync(join(folder, 'completion.bash'), scriptFor('bash', program) ?? '');
  writeFileSync(join(folder, 'people.csv'), '');
  writeFileSync(join(folder, 'two words.yaml'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

const complete = `
source ./completion.bash
while IFS= read -r line; do
  IFS=$'\\t' read -ra typed <<< "$line"
  COMP_WORDS=(tessera "\${typed[@]}")
  [[ -z "$line" || "$line" = *$'\\t' ]] && COMP_WORDS+=("")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _tessera
  (IFS=$'\\t'; echo "\${COMPREPLY[*]}")
done`;

/** What bash offers for each of these lines, of which the last word is being typed. */
function offers(lines: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const input = lines.map((words) => `${words.join('\t')}\n`).join('');
  const said = execFileSync('bash', ['-uc', complete], { cwd: folder, encoding: 'utf8', input });
  return said
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t').filter(Boolean));
}
const offer = (...words: readonly string[]) => offers([words])[0];

type Known = { readonly path: readonly string[]; readonly command: Command };
function commandsOf(command: Command, path: readonly string[] = []): readonly Known[] {
  return [{ path, command }, ...command.commands.flatMap((each) => commandsOf(each, [...path, each.name()]))];
}
const all = commandsOf(program);

test('every command and every option of the program is offered where it may stand', () => {
  expect(all.length).toBeGreaterThan(20);
  const names = all.map(({ path }) => path.join(' '));
  for (const known of ['import', 'types', 'export', 'doctor', 'apply', 'schema', 'keys create']) expect(names).toContain(known);
  const [commands, options] = [offers(all.map(({ path }) => [...path, ''])), offers(all.map(({ path }) => [...path, '--']))];
  const globals = program.options.map(({ long }) => long);
  for (const [index, { path, command }] of all.entries()) {
    const label = path.join(' ');
    const wanted = [...command.options.map(({ long }) => long), ...globals, '--help'];
    expect(options[index]?.toSorted()).toStrictEqualFor(label, [...new Set(wanted)].sort());
    expect(commands[index]).toStrictEqualFor(label, expect.arrayContaining(command.commands.map((each) => each.name())));
  }
  expect(offer('export', '--a')).toStrictEqual(['--all', '--audit']);
  expect(offer('export', '--all', '--o')).toStrictEqual(['--output']);
});

test('options before and behind a command, and their values, are not taken for commands', () => {
  for (const [words, offered] of [
    [['--json', 'appl'], ['apply']],
    [['--profile', 'keys', 'exp'], ['export']],
    [['keys', '--json', 'rev'], ['revoke']],
    [['keys', 'create', '--name', 'list', '--ro'], ['--role']],
    [['--scope', 'organization', ':', 'x', 'who'], ['whoami']],
    [['roles', 'exp'], []],
    [['keys', 'create', '--name', ''], []],
  ] as const)
    expect(offer(...words)).toStrictEqualFor(words.join(' '), offered);
});

test('values are offered where they are known: formats, shells and files', () => {
  const formats = ['csv', 'ndjson', 'auth0', 'keycloak', 'cognito'];
  expect(offer('import', 'people.csv', '--from', '')).toStrictEqual(formats);
  expect(offer('import', '--from', '=')).toStrictEqual(formats);
  expect(offer('import', '--from', '=', 'k')).toStrictEqual(['keycloak']);
  expect(offer('completion', 'z')).toStrictEqual(['zsh']);
  expect(offer('import', 'peo')).toStrictEqual(['people.csv']);
  expect(offer('apply', '-f', 'two')).toStrictEqual(['two words.yaml']);
  expect(offer('apply', '--file', 'peo')).toStrictEqual(['people.csv']);
  expect(offer('apply', 'peo')).toStrictEqual([]);
});

test('the scripts for zsh and fish name every command and every option', () => {
  const [zsh, fish] = [scriptFor('zsh', program) ?? '', scriptFor('fish', program) ?? ''];
  expect(zsh).toContain(scriptFor('bash', program));
  for (const { path, command } of all.slice(1)) {
    const at = path.map((word) => ` ${word}`).join('');
    const above = path
      .slice(0, -1)
      .map((word) => ` ${word}`)
      .join('');
    expect(fish).toContain(`-n '__tessera_at \\'${above}\\'' -a '${command.name()}' -d '`);
    for (const { long = '' } of [...command.options, ...program.options])
      expect(fish).toContain(`-n '__tessera_at \\'${at}\\'' -l '${long.slice(2)}' `);
  }
  expect(fish).toContain(" -l 'file' -s f -r -F -d ");
  expect(fish).toContain(" -l 'from' -x -a 'csv ndjson auth0 keycloak cognito' -d ");
  // zsh takes ':1:C' for a modifier of its own.
  expect(zsh).not.toMatch(/:1:[^$]/);
  expect(scriptFor('tcsh', program)).toBeUndefined();
});
