/** Drawn for the console; each is one line in a square of 24. */
const lines = {
  home: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
  people: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 9a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6.5m2 3.5a6 6 0 0 1 3 5.5',
  building: 'M5 20V4h9v16m0-11h5v11M3 20h18M8 8h3m-3 4h3m-3 4h3',
  folder: 'M3 6h6l2 2h10v11H3z',
  shield: 'M12 3 4.5 6v6c0 4.5 3 7.5 7.5 9 4.5-1.5 7.5-4.5 7.5-9V6z',
  stack: 'm12 4 9 4.5-9 4.5-9-4.5zm-9 9 9 4.5 9-4.5',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm-9-9h18M12 3c2.4 2.5 3.6 5.5 3.6 9s-1.2 6.5-3.6 9c-2.4-2.5-3.6-5.5-3.6-9S9.6 5.5 12 3Z',
  lock: 'M6 11h12v9H6zm2.5 0V8a3.5 3.5 0 0 1 7 0v3',
  box: 'm12 3 8 4.5v9L12 21l-8-4.5v-9zm0 9 8-4.5M12 12 4 7.5m8 4.5v9',
  palette: 'M12 3a9 9 0 1 0 0 18c1.6 0 2-1 1.5-2.2-.6-1.4.2-2.8 1.8-2.8H18a3 3 0 0 0 3-3c0-5.5-4-10-9-10ZM7.5 12h.01M10 7.5h.01M15 7.5h.01',
  mail: 'M4 6h16v12H4zm0 0 8 7 8-7',
  door: 'M6 21V4h9v17M3 21h18m-9.5-8.5h.01M15 7h3v14',
  tag: 'M4 4h8l8 8-8 8-8-8zm4.5 4.5h.01',
  key: 'M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm4-4h9v4m-4-4v3',
  app: 'M4 5h16v14H4zm0 4h16M7 7h.01M10 7h.01',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-14v5l3.5 2',
  scale: 'M12 4v16m-5 0h10M5 7h14M5 7l-2.5 6a2.7 2.7 0 0 0 5 0zm14 0-2.5 6a2.7 2.7 0 0 0 5 0z',
  gear: 'M12 15.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM12 3v3m0 12v3m9-9h-3M6 12H3m15.4-6.4-2.1 2.1M7.7 16.3l-2.1 2.1m12.8 0-2.1-2.1M7.7 7.7 5.6 5.6',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-8 9a8 8 0 0 1 16 0',
  device: 'M4 5h16v11H4zm5 15h6m-3-4v4',
  download: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M4 20h16',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 5 5',
  send: 'M4 12 20 4l-5 16-3.5-6.5zm7.5 1.5L20 4',
  list: 'M4 6h2m3 0h11M4 12h2m3 0h11M4 18h2m3 0h11',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  chevrons: 'm8 9 4-4 4 4M8 15l4 4 4-4',
  up: 'm6 14 6-6 6 6',
  down: 'm6 10 6 6 6-6',
  right: 'm10 6 6 6-6 6',
  plus: 'M12 5v14M5 12h14',
  check: 'm5 13 4.5 4.5L19 7',
  cross: 'm6 6 12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
} as const;

export type IconName = keyof typeof lines;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={lines[name]} />
    </svg>
  );
}
