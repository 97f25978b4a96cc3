import { createHash } from 'node:crypto';
import type { SubgraphSdl } from './federation.ts';

/**
 * The first lines of a supergraph name the schemas that it was composed of (`# identity 4f1c…`), so
 * that a gateway can compare them with those of the running services.
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
