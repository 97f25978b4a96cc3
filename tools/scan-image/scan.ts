import type { Bill } from '../supply/bill.ts';
import { billOfImage } from './bill.ts';
import { judge } from './exceptions.ts';
import { type Account, fileFaults, filesOf } from './files.ts';
import { type Answer, askDebian, askNpm } from './lookup.ts';
import { debianPackages, debianStatus, distributionOf, nodePackages, nodeVersion, packageFaults } from './packages.ts';
import { accountOfImage, exceptionsOfImage } from './settings.ts';

interface Scan {
  /** The folder with the image's files. */
  readonly root: string;
  readonly account?: Account;
  readonly exceptions?: unknown;
  readonly today?: Date;
  /** Whether the folder has the owners that the image has, as only root can lay them out. */
  readonly hasOwners?: boolean;
  /** Further options of the programs that are asked. */
  readonly npm?: readonly string[];
  readonly debsecan?: readonly string[];
}

export interface Report {
  readonly faults: readonly string[];
  readonly notes: readonly string[];
  /** What was not looked up, and so is not known to be good. */
  readonly gaps: readonly string[];
  readonly counts: string;
  readonly bill: Bill;
}

export async function scanImage({
  root,
  account = accountOfImage(),
  exceptions = exceptionsOfImage(),
  today = new Date(),
  hasOwners = process.getuid?.() === 0,
  npm,
  debsecan,
}: Scan): Promise<Report> {
  const files = filesOf(root);
  const packages = nodePackages(root, files);
  const distribution = distributionOf(root);
  const status = debianStatus(root);
  const debian = debianPackages(status ?? '');
  const node = nodeVersion(root);
  const questions = [askNpm(packages, npm)];
  if (distribution !== undefined) questions.push(askDebian(status ?? '', distribution, debian.length, debsecan));
  const answers = await Promise.all(questions);
  const judgement = judge(
    answers.flatMap((answer) => ('findings' in answer ? answer.findings : [])),
    exceptions,
    today,
  );
  return {
    faults: [...fileFaults(files, { root, account: hasOwners ? account : undefined }), ...packageFaults(packages), ...judgement.faults],
    notes: judgement.notes,
    gaps: [
      ...answers.flatMap((answer) => ('notAnswered' in answer ? [gapOf(answer)] : [])),
      ...(hasOwners ? [] : ['who owns the files: the folder has other owners than the image (scan as root)']),
    ],
    counts: [
      `${files.length} files`,
      `${packages.length} npm packages`,
      distribution === undefined ? 'no operating system' : `${debian.length} packages of ${distribution.id} ${distribution.codename}`,
      node === undefined ? 'no Node' : `Node ${node}, whose own advisories no source here has`,
    ].join(', '),
    bill: billOfImage({ packages, debian, distribution, node }),
  };
}

function gapOf({ source, packages, notAnswered }: Answer & { readonly notAnswered: string }): string {
  return `the known vulnerabilities of ${packages} packages, by ${source}: ${notAnswered}`;
}

const mostShown = 100;

/** The report as lines, and whether the scan succeeded. */
export function conclude({ faults, notes, gaps, counts }: Omit<Report, 'bill'>, isLookupRequired: boolean): readonly [string, boolean] {
  const isGood = faults.length === 0 && (gaps.length === 0 || !isLookupRequired);
  const lines = [
    `  ${counts}`,
    ...notes.map((note) => `  · ${note}`),
    ...gaps.map((gap) => `!!! NOT LOOKED UP: ${gap}`),
    ...faults.slice(0, mostShown).map((fault) => `✖ ${fault}`),
    ...(faults.length > mostShown ? [`✖ and ${faults.length - mostShown} more`] : []),
    verdictOf(isGood, gaps.length),
  ];
  return [lines.join('\n'), isGood];
}

function verdictOf(isGood: boolean, gaps: number): string {
  if (!isGood) return 'The image is refused.';
  return gaps > 0 ? 'No fault is known; what was NOT LOOKED UP may have some.' : 'The image has no known fault.';
}
