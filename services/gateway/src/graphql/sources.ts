import { createHash } from 'node:crypto';
import type { SubgraphSdl } from './federation.ts';

/**
 * A supergraph says in its first lines what it was composed of, so that a gateway knows at once
 * whether the schemas that it finds running are those: `# identity 4f1c…`.
 */
export function withSources(supergraphSdl: string, subgraphs: readonly SubgraphSdl[]): string {
  const lines = [...subgraphs]
    .sort((left, right) => left.name.localeCompare(right.name))
    .map(({ name, sdl }) => `# ${name} ${fingerprint(sdl)}`);
  return `${lines.join('\n')}\n\n${supergraphSdl.trimEnd()}\n`;
}

export function sourcesOf(supergraphSdl: string): ReadonlyMap<string, string> {
  const lines = supergraphSdl.split('\n\n', 1)[0]?.split('\n') ?? [];
  return new Map(
    lines.flatMap((line) => (/^# (\w+) ([0-9a-f]{64})$/.exec(line) ? [[line.split(' ')[1] ?? '', line.split(' ')[2] ?? ''] as const] : [])),
  );
}

export function fingerprint(sdl: string): string {
  return createHash('sha256').update(sdl.trim()).digest('hex');
}
