export interface Stage {
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

export type Instruction =
  | { readonly kind: 'COPY'; readonly from: string | undefined; readonly sources: readonly string[]; readonly target: string }
  | { readonly kind: 'RUN'; readonly command: string }
  | { readonly kind: 'ENV'; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: 'ENTRYPOINT' | 'CMD'; readonly words: readonly string[] }
  | { readonly kind: 'other'; readonly name: string };

/** Parses the Dockerfile instructions that ours uses; an unknown one is an error. */
export function parseDockerfile(source: string): readonly Stage[] {
  const lines = source
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const stages: { name: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [keyword = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line)?.slice(1) ?? [];
    if (keyword === 'ARG' && stages.length === 0) continue;
    if (keyword === 'FROM') stages.push({ name: /\bAS (\w+)$/.exec(rest)?.[1] ?? '', instructions: [] });
    else stages.at(-1)?.instructions.push(parseInstruction(keyword, rest));
  }
  return stages;
}

function parseInstruction(keyword: string, rest: string): Instruction {
  if (keyword === 'COPY') return parseCopy(rest.split(/\s+/));
  if (keyword === 'RUN') return { kind: 'RUN', command: rest };
  if (keyword === 'ENV') return { kind: 'ENV', values: Object.fromEntries(rest.split(/\s+/).map((pair) => pair.split('=', 2))) };
  if (keyword === 'ENTRYPOINT' || keyword === 'CMD') return { kind: keyword, words: JSON.parse(rest) as readonly string[] };
  if (['WORKDIR', 'USER', 'EXPOSE', 'VOLUME', 'HEALTHCHECK'].includes(keyword)) return { kind: 'other', name: keyword };
  throw new Error(`deploy/Dockerfile uses ${keyword}, which deploy/verify-image.sh does not know`);
}

function parseCopy(words: readonly string[]): Instruction {
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  return { kind: 'COPY', from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}
