/** Scripts that complete what is typed, from the same table of commands as the help. */
import { Argument, type Command, type Option } from 'commander';

type Word = { readonly text: string; readonly about: string };
/** What may stand behind an option or as an argument: words, a file, or what nothing can offer. */
type Values = readonly string[] | 'file' | undefined;
/** An option that takes a value, by its long and its short name. */
type Valued = { readonly names: readonly string[]; readonly values: Values };

/** A command, and what may follow it. */
type Place = {
  /** ` keys create`: each of its words behind a space. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  readonly valued: readonly Valued[];
  /** Of the first argument. */
  readonly values: Values;
};

function valuesOf({ argChoices }: Pick<Option | Argument, 'argChoices'>, name: string | undefined): Values {
  return argChoices ?? (/^(file|folder|path)$/.test(name ?? '') ? 'file' : undefined);
}

function placesOf(command: Command, path = ''): readonly Place[] {
  const help = command.createHelp();
  const own = command.commands.filter((each) => each.name() !== 'help');
  const all = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const [argument] = command.registeredArguments;
  const place: Place = {
    path,
    commands: own.map((each) => ({ text: each.name(), about: each.description() })),
    options: all.flatMap(({ long, description }) => (long ? [{ text: long, about: description }] : [])),
    valued: all
      .filter(({ required, optional }) => required || optional)
      .map((option) => ({
        names: [option.long, option.short].flatMap((name) => name ?? []),
        values: valuesOf(option, /<(\w+)>/.exec(option.flags)?.[1]),
      })),
    values: argument && valuesOf(argument, argument.name()),
  };
  return [place, ...own.flatMap((each) => placesOf(each, `${path} ${each.name()}`))];
}

function namesOfValued(places: readonly Place[]): readonly string[] {
  return [...new Set(places.flatMap(({ valued }) => valued.flatMap(({ names }) => names)))];
}

const textsOf = (words: readonly Word[]) => words.map(({ text }) => text);

/** Reads the words so far as the command does: the value of an option is no command. */
function bash(places: readonly Place[]): string {
  const known = places.map(({ path }) => `"${path}"`).slice(1);
  const values = places.flatMap(({ path, valued }) =>
    valued.map((each) => {
      const pattern = each.names.map((name) => `"${path} ${name}"`).join('|');
      return `    ${pattern}) words="${Array.isArray(each.values) ? each.values.join(' ') : ''}"; files=${each.values === 'file' ? 1 : 0} ;;`;
    }),
  );
  const words = places.map(({ path, commands, options, values: own }) => {
    const follow = [...textsOf(commands), ...(Array.isArray(own) ? own : []), ...textsOf(options)];
    return `      "${path}") words="${follow.join(' ')}"; files=${own === 'file' ? 1 : 0} ;;`;
  });
  return `_tessera() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place="" before="" word words="" files=0
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    [ "$word" = "=" ] && continue
    case "$before" in
      ${namesOfValued(places).join('|')}) before=""; continue ;;
    esac
    before="$word"
    case "$place $word" in
      ${known.join('|')}) place="$place $word" ;;
    esac
  done
  [ "$current" = "=" ] && current=""
  case "$place $before" in
${values.join('\n')}
    *) case "$place" in
${words.join('\n')}
    esac ;;
  esac
  case "$current" in
    -*) files=0 ;;
  esac
  if [ $files = 1 ]; then
    local IFS=$'\\n'
    COMPREPLY=($(compgen -f -- "$current"))
    compopt -o filenames 2>/dev/null
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _tessera tessera
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** -x: a value and no files, -r: a value. */
function fishValues({ values }: Valued): string {
  if (values === 'file') return ' -r -F';
  return Array.isArray(values) ? ` -x -a ${quoted(values.join(' '))}` : ' -x';
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options, valued, values }) => {
    const at = `complete -c tessera -n ${quoted(`__tessera_at ${quoted(path)}`)}`;
    const own = Array.isArray(values) ? [`${at} -a ${quoted(values.join(' '))}`] : values === 'file' ? [`${at} -F`] : [];
    return [
      ...commands.map(({ text, about }) => `${at} -a ${quoted(text)} -d ${quoted(about)}`),
      ...own,
      ...options.map(({ text, about }) => {
        const taken = valued.find(({ names }) => names.includes(text));
        const [, letter] = taken?.names ?? [];
        const short = letter === undefined ? '' : ` -s ${letter.slice(1)}`;
        return `${at} -l ${quoted(text.slice(2))}${short}${taken === undefined ? '' : fishValues(taken)} -d ${quoted(about)}`;
      }),
    ];
  });
  return `function __tessera_at
  set -l place ''
  set -l before ''
  for word in (commandline -opc)[2..-1]
    if contains -- "$before" ${namesOfValued(places).join(' ')}
      set before ''
      continue
    end
    set before "$word"
    if contains -- "$place $word" ${places
      .slice(1)
      .map(({ path }) => quoted(path))
      .join(' ')}
      set place "$place $word"
    end
  end
  test "$place" = "$argv[1]"
end
complete -c tessera -f
${lines.join('\n')}
`;
}

const shells: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash,
  // zsh's own completion may not be set up yet where this is read.
  zsh: (places) => `autoload -Uz compinit bashcompinit\n(( $+functions[compdef] )) || compinit\nbashcompinit\n${bash(places)}`,
  fish,
};

/** Undefined for a shell that is not known. */
export function scriptFor(shell: string, program: Command): string | undefined {
  return Object.hasOwn(shells, shell) ? shells[shell]?.(placesOf(program)) : undefined;
}

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('a script for your shell: eval "$(tessera completion bash)"')
    .addArgument(new Argument('<shell>', 'the shell of your terminal').choices(Object.keys(shells)))
    .action((shell: string) => void process.stdout.write(scriptFor(shell, program) ?? ''));
}
