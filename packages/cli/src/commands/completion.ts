import type { Command } from 'commander';
import { exitCodes, Failure } from '../failure.ts';

type Words = { readonly path: readonly string[]; readonly words: readonly string[] };

/** What may follow each command: its own commands and options. */
function wordsOf(command: Command, path: readonly string[] = []): Words[] {
  const visible = command.commands.filter((each) => each.name() !== 'help');
  const options = command.options.flatMap(({ long }) => long ?? []);
  return [
    { path, words: [...visible.map((each) => each.name()), ...options] },
    ...visible.flatMap((each) => wordsOf(each, [...path, each.name()])),
  ];
}

/** Words that stand for the command so far; what follows is completed by the longest match. */
function bash(all: readonly Words[]): string {
  const cases = all
    .toSorted((a, b) => b.path.length - a.path.length)
    .map(({ path, words }) => `    "${path.join(' ')}${path.length === 0 ? '' : ' '}"*) words="${words.join(' ')}" ;;`);
  return `_tessera() {
  local typed="\${COMP_WORDS[*]:1:COMP_CWORD-1} " words=""
  case "\${typed# }" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _tessera tessera
`;
}

function fish(all: readonly Words[]): string {
  return all
    .map(({ path, words }) => {
      const inside = path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
      return `complete -c tessera -f -n '${inside === '' ? '__fish_use_subcommand' : inside}' -a '${words.join(' ')}'\n`;
    })
    .join('');
}

const shells: Readonly<Record<string, (all: readonly Words[]) => string>> = {
  bash,
  zsh: (all) => `autoload -U +X bashcompinit && bashcompinit\n${bash(all)}`,
  fish,
};

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('a script for your shell: eval "$(tessera completion bash)"')
    .argument('<shell>', Object.keys(shells).join(', '))
    .action((shell: string) => {
      const write = shells[shell];
      if (write === undefined) throw new Failure(`${shell} is not known. Use ${Object.keys(shells).join(', ')}.`, exitCodes.usage);
      process.stdout.write(write(wordsOf(program)));
    });
}
