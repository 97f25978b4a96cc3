/** They may be shipped beside Apache-2.0. LGPL is libvips, which sharp loads as a library. */
const accepted = new Set(
  `MIT MIT-0 ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 Unlicense Python-2.0 Zlib CC0-1.0 CC-BY-4.0 LGPL-3.0-or-later
   W3C-20150513`.split(/\s+/),
);

/** Under the Elastic License 2.0: NOTICE names them. */
const elastic = new Set([
  '@apollo/composition',
  '@apollo/federation-internals',
  '@apollo/gateway',
  '@apollo/query-graphs',
  '@apollo/query-planner',
  '@apollo/subgraph',
]);

/** Whether a package may be shipped under each of the licences that it names. */
export function isAcceptedLicense(name: string, license: string | undefined): boolean {
  return elastic.has(name) || (license ?? 'none').split(/ (?:AND|OR) /).every((part) => accepted.has(part));
}
