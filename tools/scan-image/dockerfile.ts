import { Arg, Copy, DockerfileParser, Env, From, JSONInstruction, type Instruction as Parsed, Run } from 'dockerfile-ast';

export interface Stage {
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

export type Instruction =
  | { readonly kind: 'COPY'; readonly from: string | undefined; readonly sources: readonly string[]; readonly target: string }
  | { readonly kind: 'RUN'; readonly command: string }
  | { readonly kind: 'ENV'; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: 'ENTRYPOINT' | 'CMD'; readonly words: readonly string[] }
  | { readonly kind: 'USER'; readonly user: string }
  | { readonly kind: 'other'; readonly name: string };

/** Parses the Dockerfile instructions that ours uses; an unknown one is an error. */
export function parseDockerfile(source: string): readonly Stage[] {
  const stages: { name: string; instructions: Instruction[] }[] = [];
  for (const parsed of DockerfileParser.parse(source).getInstructions()) {
    if (parsed instanceof Arg && stages.length === 0) continue;
    if (parsed instanceof From) stages.push({ name: parsed.getBuildStage() ?? '', instructions: [] });
    else stages.at(-1)?.instructions.push(readInstruction(parsed));
  }
  return stages;
}

function readInstruction(parsed: Parsed): Instruction {
  const keyword = parsed.getKeyword();
  if (parsed instanceof Copy) {
    const paths = parsed.getArguments().map((argument) => argument.getValue());
    return { kind: 'COPY', from: parsed.getFromFlag()?.getValue() ?? undefined, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
  }
  if (parsed instanceof Run) return { kind: 'RUN', command: parsed.getArgumentsContent() ?? '' };
  if (parsed instanceof Env) {
    const values = parsed.getProperties().map((property) => [property.getName(), property.getValue() ?? ''] as const);
    return { kind: 'ENV', values: Object.fromEntries(values) };
  }
  if (parsed instanceof JSONInstruction && (keyword === 'ENTRYPOINT' || keyword === 'CMD'))
    return { kind: keyword, words: parsed.getJSONStrings().map((word) => word.getJSONValue()) };
  if (keyword === 'USER') return { kind: 'USER', user: parsed.getArgumentsContent() ?? '' };
  if (['WORKDIR', 'EXPOSE', 'VOLUME', 'HEALTHCHECK'].includes(keyword)) return { kind: 'other', name: keyword };
  throw new Error(`deploy/Dockerfile uses ${keyword}, which deploy/verify-image.sh does not know`);
}
