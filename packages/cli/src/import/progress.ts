import type { Counts } from './journal.ts';

const width = 24;

/** A bar on a terminal, and nothing elsewhere. */
export function createProgress(totalBytes: number, { isTTY, write }: { readonly isTTY: boolean; readonly write: (text: string) => void }) {
  const beganMs = performance.now();
  let before: number | undefined;
  return {
    show(bytes: number, { created, exists, skipped, invalid }: Counts): void {
      if (!isTTY) return;
      const part = totalBytes === 0 ? 1 : Math.min(bytes / totalBytes, 1);
      const people = created + exists + skipped + invalid;
      before ??= people;
      const perMinute = Math.round(((people - before) / Math.max(performance.now() - beganMs, 1)) * 60_000);
      const bar = '█'.repeat(Math.round(part * width)).padEnd(width, '░');
      write(`\r${bar} ${String(Math.round(part * 100)).padStart(3)} %  ${people} people, ${perMinute} a minute `);
    },
    end: () => isTTY && write('\n'),
  };
}
