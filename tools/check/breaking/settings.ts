import type { Break } from './break.ts';

/** Variables of docs/configuration.md, and whether each is required. */
function settingsOf(page: string): ReadonlyMap<string, boolean> {
  return new Map(
    [...page.matchAll(/^\| `(\w+)` \| ([^|]*) \|/gm)].map(([, name = '', fallback = '']) => [name, fallback.trim() === 'required']),
  );
}

/** A process does not start with an unknown variable, or without a required one. */
export function settingBreaks(before: string, now: string): readonly Break[] {
  const [from, to] = [settingsOf(before), settingsOf(now)];
  return [
    ...[...from.keys()].filter((subject) => !to.has(subject)).map((subject) => ({ subject, what: 'is gone, and stops the start' })),
    ...[...to]
      .filter(([subject, isRequired]) => isRequired && from.get(subject) !== true)
      .map(([subject]) => ({ subject, what: 'is required' })),
  ];
}
