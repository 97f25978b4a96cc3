/**
 * Asks who knows vulnerabilities of packages. A source that does not answer, or that does not know
 * a vulnerability that it must know, has not been asked: its packages are never called clean.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Distribution, NodePackage } from './packages.ts';

export interface Finding {
  /** GHSA-… or CVE-…, as an exception names it. */
  readonly id: string;
  readonly where: string;
  readonly severity: string;
  /** Whether the scan fails by it, unless an exception names it. */
  readonly isGrave: boolean;
}

export type Answer =
  | { readonly source: string; readonly packages: number; readonly findings: readonly Finding[] }
  | { readonly source: string; readonly packages: number; readonly notAnswered: string };

const limitMs = 120_000;

/** Old, and known as vulnerable to everyone that knows any vulnerability. */
const canary = { name: 'minimist', version: '0.0.8' };

/** `npm audit` of exactly the image's packages, at the registry that npm is told to use. */
export async function askNpm(packages: readonly NodePackage[], settings: readonly string[] = []): Promise<Answer> {
  const source = 'npm audit';
  const folder = mkdtempSync(join(tmpdir(), 'tessera-scan-'));
  try {
    const names = new Map(packages.map((each, index) => [`node_modules/package-${index}`, each]));
    const locked = [...names].map(([path, { name, version }]) => [path, { name, version }] as const);
    const lock = { lockfileVersion: 3, packages: { '': {}, ...Object.fromEntries(locked), 'node_modules/canary': canary } };
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const words = ['audit', '--json', '--package-lock-only', '--offline=false', '--fetch-retries=1', '--fetch-timeout=30000', ...settings];
    const { stdout, fault } = await run('npm', words, folder);
    const answer = readAudit(stdout, (path) => (path === 'node_modules/canary' ? 'canary' : (names.get(path)?.path ?? path)));
    if (typeof answer === 'string') return { source, packages: packages.length, notAnswered: stdout === '' ? fault : answer };
    return withoutCanary(source, packages.length, answer);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The findings of `npm audit --json`, or why it is no answer. */
export function readAudit(text: string, placeOf: (path: string) => string): readonly Finding[] | string {
  const report = parse(text);
  if (report === undefined) return 'the answer is no JSON';
  if (typeof report.auditReportVersion !== 'number' || typeof report.vulnerabilities !== 'object')
    return String(report.message ?? 'no report');
  return Object.values(report.vulnerabilities as Readonly<Record<string, Vulnerability>>).flatMap(({ nodes, via }) =>
    via.flatMap((advisory) => {
      if (typeof advisory === 'string') return [];
      const id = /GHSA-[\w-]+/.exec(advisory.url)?.[0] ?? `npm-${advisory.source}`;
      const isGrave = !['info', 'low', 'moderate'].includes(advisory.severity);
      return nodes.map((path) => ({ id, where: placeOf(path), severity: `${advisory.severity}: ${advisory.title}`, isGrave }));
    }),
  );
}

interface Vulnerability {
  readonly nodes: readonly string[];
  readonly via: readonly (string | { readonly source: number; readonly url: string; readonly severity: string; readonly title: string })[];
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `debsecan` with Debian's tracker, for the packages that dpkg recorded in the image. */
export async function askDebian(
  status: string,
  { id, codename }: Distribution,
  packages: number,
  settings: readonly string[] = [],
): Promise<Answer> {
  const source = 'debsecan';
  if (id !== 'debian') return { source, packages, notAnswered: `it knows Debian alone, and this is ${id}` };
  const folder = mkdtempSync(join(tmpdir(), 'tessera-scan-'));
  try {
    const file = join(folder, 'status');
    writeFileSync(file, `${status.trimEnd()}\n\n${debianCanary}`);
    const words = ['--suite', codename, '--status', file, '--format', 'summary', ...settings];
    const { stdout, fault } = await run('debsecan', words, folder);
    if (fault !== '') return { source, packages, notAnswered: fault };
    return withoutCanary(source, packages, readDebsecan(stdout));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const debianCanary = `Package: canary
Status: install ok installed
Architecture: all
Source: openssl
Version: 0.9
`;

/**
 * Lines such as `CVE-2024-1 libc6 (fixed, remotely exploitable, high urgency)`. Debian leaves most
 * urgencies open: grave is also what a newer base has mended already.
 */
export function readDebsecan(text: string): readonly Finding[] {
  return text.split('\n').flatMap((line) => {
    const [, id, where, notes = ''] = /^(\S+) (\S+)(?: \((.*)\))?$/.exec(line.trim()) ?? [];
    if (id === undefined || where === undefined) return [];
    const isGrave = /\bhigh urgency\b/.test(notes) || /(?:^|, )fixed(?:,|$)/.test(notes);
    return [{ id, where, severity: notes || 'open', isGrave }];
  });
}

function withoutCanary(source: string, packages: number, findings: readonly Finding[]): Answer {
  if (!findings.some(({ where }) => where === 'canary'))
    return { source, packages, notAnswered: 'it does not know the vulnerability of a package that has one' };
  return { source, packages, findings: findings.filter(({ where }) => where !== 'canary') };
}

/** What a program printed, and why it failed, or nothing. */
function run(program: string, words: readonly string[], cwd: string): Promise<{ readonly stdout: string; readonly fault: string }> {
  return new Promise((done) =>
    execFile(program, words, { cwd, timeout: limitMs, maxBuffer: 1e9 }, (error, stdout, stderr) => {
      const last = stderr
        .trim()
        .split('\n')
        .findLast((line) => line !== '' && !line.includes('complete log'));
      done({ stdout, fault: error === null ? '' : (last ?? error.message) });
    }),
  );
}
