/** What a scan of the image refuses, and what it does not call clean. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { testUnless } from '../../test/support/unless.ts';
import { repositoryFolder } from '../stack/repository.ts';
import { judge } from './exceptions.ts';
import { type File, fileFaults, filesOf } from './files.ts';
import { askDebian, askNpm, type Finding, readAudit, readDebsecan } from './lookup.ts';
import { debianPackages, debianStatus, nodePackages, packageFaults } from './packages.ts';
import { conclude, scanImage } from './scan.ts';
import { accountOfImage, exceptionsOfImage } from './settings.ts';

const account = { uid: 1000, gid: 1000 };
const lockedVersion = (path: string): string =>
  JSON.parse(readFileSync(join(repositoryFolder, 'package-lock.json'), 'utf8')).packages[path].version;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'scan-'));
  put('/etc/passwd', 'root:x:0:0::/root:/bin/sh\n');
  put('/etc/os-release', 'ID=debian\nVERSION_CODENAME=bookworm\n');
  put('/var/lib/dpkg/status', 'Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.36-9+deb12u1\n');
  putPackage('/app/node_modules/fastify', { name: 'fastify', version: lockedVersion('node_modules/fastify'), license: 'MIT' });
  mkdirSync(join(root, 'tmp'));
  chmodSync(join(root, 'tmp'), 0o1777);
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), mode);
}
function putPackage(path: string, stated: Readonly<Record<string, unknown>>): void {
  put(`${path}/package.json`, JSON.stringify(stated));
}
const faultsOfFiles = () => fileFaults(filesOf(root), { root, account: undefined });
const faultsOfPackages = () => packageFaults(nodePackages(root, filesOf(root)));

describe('the files', () => {
  test('of an image as it should be have no fault', () => {
    put('/root/.npmrc', ''); // where a build mounted its own
    put('/app/node_modules/jose/key.js', "const first = '-----BEGIN PRIVATE KEY-----';\n");
    expect(faultsOfFiles()).toStrictEqual([]);
  });

  const key = `-----BEGIN EC PRIVATE KEY-----\n${'MHcCAQEEIA'.repeat(12)}\n-----END EC PRIVATE KEY-----\n`;
  test.each([
    ['/usr/bin/su', '#!', 0o4755, 'runs as its owner (setuid)'],
    ['/usr/bin/chage', '#!', 0o2755, 'runs as its group (setgid)'],
    ['/app/services/rbac/src/main.ts', '', 0o666, 'can be written by every account'],
    ['/var/lib/apt/lists/deb.example.com_InRelease', 'a', 0o644, 'is a list of packages that apt-get left'],
    ['/var/cache/apt/archives/tini_0.19_amd64.deb', 'a', 0o644, 'is a package or an index that apt-get left'],
    ['/root/.npm/_logs/1.log', 'a', 0o644, 'is from the cache of a package manager'],
    ['/app/.cache/_cacache/index', 'a', 0o644, 'is from the cache of npm'],
    ['/tmp/node-compile-cache/a', 'a', 0o644, 'was left by the build'],
    ['/app/.git/HEAD', 'ref', 0o644, 'is from the repository’s history'],
    ['/app/services/keys/.env', 'A=b', 0o644, 'is an environment with its secrets'],
    ['/app/.env.production', 'A=b', 0o644, 'is an environment with its secrets'],
    ['/root/.npmrc', 'cafile=/a', 0o600, 'holds credentials or settings of the build'],
    ['/app/node_modules/pg/.npmrc', '//registry.example.com/:_authToken=a', 0o644, 'holds credentials or settings of the build'],
    ['/app/node_modules/pg/test/server.txt', key, 0o644, 'is a private key'],
    ['/app/deploy/key.ts', `const key = '${key.replaceAll('\n', '\\n')}';`, 0o644, 'is a private key'],
  ])('%s is refused', (path, text, mode, fault) => {
    put(path, text, mode);
    expect(faultsOfFiles()).toContain(`${path} ${fault}`);
  });

  test('a shared folder is refused without its sticky bit, and any other folder with it', () => {
    chmodSync(join(root, 'tmp'), 0o777);
    mkdirSync(join(root, 'app/data'));
    chmodSync(join(root, 'app/data'), 0o1777);
    expect(faultsOfFiles().toSorted()).toStrictEqual(['/app/data can be written by every account', '/tmp can be written by every account']);
  });

  test('code that belongs to the account of the image, or that its group can write, is refused; the data folder is not', () => {
    const file = (path: string, owner: Partial<File>): File => ({ path, kind: 'file', mode: 0o644, uid: 0, gid: 0, size: 0, ...owner });
    const files = [
      file('/app/a.ts', { uid: 1000 }),
      file('/app/b.ts', { gid: 1000, mode: 0o664 }),
      file('/app/c.ts', { gid: 1000 }),
      file('/data/d', { uid: 1000, gid: 1000 }),
    ];
    expect(fileFaults(files, { root, account })).toStrictEqual([
      '/app/a.ts belongs to the account that the image runs as',
      '/app/b.ts can be written by the group of that account',
    ]);
    expect(accountOfImage()).toStrictEqual(account);
  });
});

describe('the packages', () => {
  test('of the lock file for production have no fault, nor have those that came with the base', () => {
    putPackage('/usr/local/lib/node_modules/npm', { name: 'npm', version: '11.0.0', license: 'Artistic-2.0' });
    expect([faultsOfPackages(), nodePackages(root, filesOf(root)).length]).toStrictEqual([[], 2]);
  });

  test.each([
    ['for development', 'jest', {}, '/app/node_modules/jest is for development'],
    [
      'of a version that is not locked',
      'fastify',
      { version: '1.0.0' },
      '/app/node_modules/fastify: the lock file has no fastify 1.0.0 there',
    ],
    [
      'that is not locked at all',
      'left-pad',
      { version: '1.3.0' },
      '/app/node_modules/left-pad: the lock file has no left-pad 1.3.0 there',
    ],
    ['under another licence', 'pg', { license: 'GPL-3.0-only' }, '/app/node_modules/pg is under GPL-3.0-only, which may not be shipped'],
  ])('one %s is refused', (_what, name, stated, fault) => {
    const version = name === 'left-pad' ? '' : lockedVersion(`node_modules/${name}`);
    putPackage(`/app/node_modules/${name}`, { name, version, license: 'MIT', ...stated });
    expect(faultsOfPackages()).toStrictEqual([fault]);
  });

  test('a folder without them is no image that could be called clean', () => {
    rmSync(join(root, 'app'), { recursive: true });
    putPackage('/usr/local/lib/node_modules/npm', { name: 'npm', version: '11.0.0', license: 'Artistic-2.0' });
    expect(faultsOfPackages()).toStrictEqual(['/app has no packages: this is not the image']);
  });

  test('one that does not say what it is, is refused', () => {
    put('/app/node_modules/pg/package.json', '{');
    expect(faultsOfPackages()).toContain('/app/node_modules/pg: the lock file has no undefined undefined there');
  });

  test('of Debian are those that are installed, also in an image without dpkg', () => {
    const removed = '\nPackage: gone\nStatus: deinstall ok config-files\nArchitecture: all\nVersion: 1\n';
    expect(debianPackages(`${debianStatus(root)}${removed}`).map(({ name }) => name)).toStrictEqual(['libc6']);
    rmSync(join(root, 'var/lib/dpkg/status'));
    expect(debianStatus(root)).toBeUndefined();
    put('/var/lib/dpkg/status.d/tzdata', 'Package: tzdata\nArchitecture: all\nVersion: 2024a\n');
    put('/var/lib/dpkg/status.d/tzdata.md5sums', 'Package: none\n');
    expect(debianPackages(debianStatus(root) ?? '')).toStrictEqual([{ name: 'tzdata', version: '2024a', architecture: 'all' }]);
  });
});

describe('known vulnerabilities', () => {
  const servers: { close(): void }[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const advisory = (id: string, severity: string, range: string) => ({
    id: 1,
    url: `https://github.com/advisories/${id}`,
    title: 'a title',
    severity,
    vulnerable_versions: range,
    cwe: [],
    cvss: { score: 0, vectorString: null },
  });
  const minimist = [advisory('GHSA-xvch-5gv4-984h', 'critical', '<0.2.4')];
  /** A registry that answers an audit, and nothing else. */
  const registry =
    (status: number, answer: object): RequestListener =>
    (request, response) => {
      const isAudit = request.method === 'POST' && request.url?.endsWith('/advisories/bulk');
      response.writeHead(isAudit ? status : 404, { 'content-type': 'application/json' }).end(JSON.stringify(isAudit ? answer : {}));
    };
  const packages = [
    { path: 'app/node_modules/fastify', name: 'fastify', version: '4.0.0', license: 'MIT' },
    { path: 'app/services/keys/node_modules/fastify', name: 'fastify', version: '5.0.0', license: 'MIT' },
  ];
  const ask = async (status: number, answer: object) => askNpm(packages, [`--registry=${await serve(registry(status, answer))}`]);

  test('npm names the one package of two that has one; a registry that knows none, as a mirror without advisories, was not asked', async () => {
    const known = { minimist, fastify: [advisory('GHSA-aaaa-bbbb-cccc', 'high', '<5.0.0')] };
    const [answered, silent] = await Promise.all([ask(200, known), ask(200, {})]);
    expect(answered).toStrictEqual({
      source: 'npm audit',
      packages: 2,
      findings: [{ id: 'GHSA-aaaa-bbbb-cccc', where: 'app/node_modules/fastify', severity: 'high: a title', isGrave: true }],
    });
    expect(silent).toStrictEqual({
      source: 'npm audit',
      packages: 2,
      notAnswered: expect.stringContaining('does not know the vulnerability'),
    });
  });

  test('a report of npm is graver than moderate by what is high, critical or unknown, and counts each advisory once', () => {
    const via = (severity: string) => ({ source: 7, url: 'https://example.com', severity, title: 't' });
    const vulnerabilities = {
      a: { nodes: ['node_modules/a'], via: [via('moderate'), via('critical'), via('dire'), 'b'] },
      b: { nodes: ['node_modules/b'], via: [via('low')] },
    };
    const findings = readAudit(JSON.stringify({ auditReportVersion: 2, vulnerabilities }), (path) => path);
    expect(Array.isArray(findings) && findings.map(({ where, isGrave }: Finding) => [where, isGrave])).toStrictEqual([
      ['node_modules/a', false],
      ['node_modules/a', true],
      ['node_modules/a', true],
      ['node_modules/b', false],
    ]);
    expect([readAudit('<html>', String), readAudit('{"message":"no"}', String)]).toStrictEqual(['the answer is no JSON', 'no']);
  });

  test('of Debian are grave by a high urgency, or when a newer base has the fix', () => {
    const text =
      'CVE-1 libc6 (fixed, low urgency)\nCVE-2 libc6 (remotely exploitable, high urgency)\nCVE-3 libc6\nCVE-4 tar (low urgency)\n';
    expect(readDebsecan(text).map(({ id, isGrave }) => [id, isGrave])).toStrictEqual([
      ['CVE-1', true],
      ['CVE-2', true],
      ['CVE-3', false],
      ['CVE-4', false],
    ]);
  });

  const hasDebsecan = spawnSync('debsecan', ['--help']).error === undefined;
  testUnless(!hasDebsecan && 'NOT RUN: needs debsecan (apt-get install debsecan)')(
    'debsecan names those of the image’s own packages, and a tracker that knows none was not asked',
    async () => {
      const known = 'CVE-2024-0001,,one\nCVE-2024-0002,,two\n\nopenssl,0, HRF,3.0,\nglibc,1, LRF,2.37,\n\nopenssl,canary\nglibc,libc6\n\n';
      const tracker = async (lines: string) => `--source=${await serve((_, response) => response.end(deflateSync(`VERSION 1\n${lines}`)))}`;
      const status = `${debianStatus(root)}Source: glibc\n`;
      const askTracker = async (lines: string) => askDebian(status, { id: 'debian', codename: 'bookworm' }, 1, [await tracker(lines)]);
      expect(await askTracker(known)).toStrictEqual({
        source: 'debsecan',
        packages: 1,
        findings: [{ id: 'CVE-2024-0002', where: 'libc6', severity: expect.stringContaining('fixed'), isGrave: true }],
      });
      expect(await askTracker('\n\n\n')).toMatchObject({ notAnswered: expect.stringContaining('does not know') });
      expect(await askDebian(status, { id: 'alpine', codename: '' }, 1)).toMatchObject({ notAnswered: expect.stringContaining('alpine') });
    },
  );

  test('a whole scan says what it did not look up, fails by it where it must not, and bills every package', async () => {
    const npm = [`--registry=${await serve(registry(405, {}))}`];
    const debsecan = [`--source=${await serve((_, response) => response.writeHead(503).end())}`];
    const report = await scanImage({ root, account, exceptions: [], hasOwners: false, npm, debsecan });
    expect(report.faults).toStrictEqual([]);
    const [text, isGood] = conclude(report, false);
    expect([
      text.match(/^!!! NOT LOOKED UP: .*(?:npm audit: 405|debsecan: .*(?:503|ENOENT)|owns the files)/gm)?.length,
      isGood,
    ]).toStrictEqual([3, true]);
    expect(text).not.toContain('no known fault');
    expect(conclude(report, true)[1]).toBe(false);
    expect(conclude({ ...report, gaps: [] }, true)).toStrictEqual([expect.stringMatching(/The image has no known fault\.$/), true]);
    expect(conclude({ ...report, gaps: [], faults: ['one'] }, false)).toStrictEqual([expect.stringContaining('✖ one'), false]);
    expect(report.bill.components.map(({ purl }) => purl)).toStrictEqual([
      `pkg:npm/fastify@${lockedVersion('node_modules/fastify')}`,
      'pkg:deb/debian/libc6@2.36-9%2Bdeb12u1?arch=amd64&distro=bookworm',
    ]);
  });
});

describe('exceptions', () => {
  const today = new Date('2026-03-01T12:00:00Z');
  const finding = { id: 'CVE-2024-0001', where: 'libc6', severity: 'high urgency', isGrave: true };
  const exception = { id: 'CVE-2024-0001', reason: 'no caller reaches it', until: '2026-03-01' };

  test('none is made yet, and a grave finding without one is a fault', () => {
    expect(exceptionsOfImage()).toStrictEqual([]);
    expect(judge([finding], [], today)).toStrictEqual({ faults: ['CVE-2024-0001 in libc6 (high urgency)'], notes: [] });
    expect(judge([{ ...finding, isGrave: false }], [], today)).toMatchObject({ faults: [], notes: [expect.any(String)] });
  });

  test('one lets its finding pass until its last day, is still named, and lets no other pass', () => {
    expect(judge([finding], [exception], today)).toStrictEqual({
      faults: [],
      notes: ['CVE-2024-0001 in libc6, as deploy/scan-exceptions.json allows'],
    });
    expect(judge([{ ...finding, id: 'CVE-2024-0002' }], [exception], today).faults).toHaveLength(1);
  });

  test.each([
    ['that is over', { until: '2026-02-28' }, 'the exception for CVE-2024-0001 ended on 2026-02-28'],
    ['for years', { until: '2030-01-01' }, 'the exception for CVE-2024-0001 lasts longer than 180 days'],
    ['without a reason', { reason: ' ' }, expect.stringContaining('an exception has id, reason and until')],
    ['without a last day', { until: 'soon' }, expect.stringContaining('an exception has id, reason and until')],
  ])('one %s fails, also when nothing needs it', (_what, change, fault) => {
    expect(judge([], [{ ...exception, ...change }], today).faults).toStrictEqual([fault]);
  });
});
