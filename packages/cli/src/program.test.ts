import { afterEach, expect, jest, test } from '@jest/globals';
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';

afterEach(() => void jest.restoreAllMocks());

/** What the command line says on standard error about these arguments. */
async function refusal(isJson: boolean, args: readonly string[]): Promise<string> {
  let said = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
  await expect(createProgram(isJson).parseAsync(args, { from: 'user' })).rejects.toThrow(CommanderError);
  return said;
}

test('wrong arguments are said once, as text or with --json as one line of JSON', async () => {
  for (const [args, message] of [
    [['rolse'], "unknown command 'rolse'\n(Did you mean roles?)"],
    [['roles', '--bogus'], "unknown option '--bogus'"],
    [['apply'], "required option '-f, --file <file>' not specified"],
    [['keys', 'revoke'], "missing required argument 'id'"],
    [['keys', 'create', '--name'], "option '--name <name>' argument missing"],
    [
      ['import', 'a.csv', '--from', 'excel'],
      "option '--from <format>' argument 'excel' is invalid. Allowed choices are csv, ndjson, auth0, keycloak, cognito.",
    ],
    [['completion', 'tcsh'], "command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish."],
  ] as const) {
    expect(await refusal(false, args)).toStrictEqualFor(args.join(' '), `error: ${message}\n`);
    const line = await refusal(true, [...args]);
    expect(line.split('\n')).toStrictEqualFor(args.join(' '), [expect.anything(), '']);
    expect(JSON.parse(line)).toStrictEqual({ error: { code: 'CLI', message } });
  }
});

test('every command says what it does, and every option and argument too', () => {
  const commands = [createProgram()].flatMap(function all(command): (typeof command)[] {
    return [command, ...command.commands.flatMap(all)];
  });
  expect(commands.length).toBeGreaterThan(20);
  for (const command of commands) {
    expect([command.name(), command.description()]).not.toStrictEqual([command.name(), '']);
    for (const { flags, description } of command.options) expect([flags, description]).not.toStrictEqual([flags, '']);
  }
});
