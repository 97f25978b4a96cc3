/** What an operator does on a working day, under traffic: no request may fail. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { type Service, services } from '../../../tools/services.ts';
import type { Environment } from '../../../tools/stack/environment.ts';
import type { ServiceProcess } from '../../../tools/stack/service-process.ts';
import { isInstalled } from '../../support/engines.ts';
import { noteSecret } from '../../support/evidence.ts';
import { record } from '../../support/faults/record.ts';
import { everyProcess, openSite, type Site, siteUnless } from '../../support/faults/site/site.ts';
import { Traffic } from '../../support/faults/site/traffic.ts';
import { measuredHere, type Result, tableHead, tableRow, undergo } from '../../support/faults/site/undergo.ts';
import { endPassword, makeSecondLogin } from '../../support/second-login.ts';
import { describeUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';

const rows: Result[] = [];
const changed: Record<Service, Environment> = { identity: {}, tenancy: {}, rbac: {}, keys: {}, gateway: {} };
let site: Site;
let traffic: Traffic;
let authorities: Authorities;

const skip = siteUnless() || (!isInstalled({ program: 'openssl' }) && 'NOT RUN: needs openssl');

describeUnless(skip)('no request fails', () => {
  beforeAll(async () => {
    authorities = new Authorities();
    const first = authorities.make('first');
    const serviceEnv = Object.fromEntries(services.map((service) => [service, { ...first.certificate(service), GRPC_TLS_CA: first.file }]));
    site = await openSite({ serviceEnv });
    traffic = await Traffic.prepare(site.stack, site.urls);
  });
  afterAll(async () => {
    await traffic?.close();
    await site?.[Symbol.asyncDispose]();
    authorities?.[Symbol.dispose]();
  });

  async function passes(name: string, work: () => Promise<void>): Promise<void> {
    const result = await undergo(name, site, traffic, work);
    rows.push(result);
    write();
    expect([[...result.failed], result.lost, result.broken]).toStrictEqualFor(name, [[], [], []]);
    expect(result.acknowledged).toBeGreaterThan(10);
  }

  /** One replica after the other with what its service was told so far, and this. */
  async function roll(
    variables: (service: Service) => Environment,
    processes: readonly ServiceProcess[] = everyProcess(site),
  ): Promise<void> {
    for (const process of processes) {
      changed[process.service] = { ...changed[process.service], ...variables(process.service) };
      await process.restart(changed[process.service]);
    }
  }

  test('a rolling restart of everything', async () => {
    await passes('rolling restart of all ten processes', () => roll(() => ({})));
  });

  test('INTERNAL_AUTH_SECRET', async () => {
    const old = site.stack.env('identity').INTERNAL_AUTH_SECRET ?? '';
    const secret = newSecret();
    const both = `${secret},${old}`;
    const kept = (service: Service): Environment =>
      service === 'identity' ? { AUTH_PASSWORD_SECRETS: both, AUTH_FACTOR_SECRETS: both } : {};
    await passes('INTERNAL_AUTH_SECRET, step 1', () => roll(() => ({ INTERNAL_AUTH_SECRET: `${old},${secret}` })));
    await passes('INTERNAL_AUTH_SECRET, steps 2 and 3', () => roll((service) => ({ INTERNAL_AUTH_SECRET: both, ...kept(service) })));
    await passes('INTERNAL_AUTH_SECRET, step 4', () => roll((service) => ({ INTERNAL_AUTH_SECRET: secret, ...kept(service) })));
  });

  test('KEYS_ENCRYPTION_KEY', async () => {
    const old = site.stack.env('keys').KEYS_ENCRYPTION_KEY ?? '';
    const key = newSecret();
    const replicas = site.replicasOf('keys');
    await passes('KEYS_ENCRYPTION_KEY', async () => {
      await roll(() => ({ KEYS_ENCRYPTION_KEY: `${old},${key}` }), replicas);
      // The next run is up to ten minutes away: as if the last one had been earlier. Those that run
      // know that they had their turn; the next that starts takes it.
      await withClient(site.adminUrl(), (client) => client.query(`DELETE FROM keys.jobs WHERE name = 'keys.reseal'`));
      await roll(() => ({ KEYS_ENCRYPTION_KEY: `${key},${old}` }), replicas);
      await until(() => replicas.some(({ logFile }) => readFileSync(logFile, 'utf8').includes('sealed anew')), 60_000);
      await roll(() => ({ KEYS_ENCRYPTION_KEY: key }), replicas);
    });
  });

  test('a password of Postgres', async () => {
    const { rbac: first } = site.stack.databaseUrls;
    await passes('a password of Postgres', async () => {
      const url = await makeSecondLogin({ adminUrl: site.adminUrl(), url: first, password: newSecret() });
      await roll(() => ({ RBAC_DATABASE_URL: url }), site.replicasOf('rbac'));
      await endPassword(site.adminUrl(), first);
    });
  });

  test('certificates and their authority', async () => {
    const next = authorities.make('next');
    const both = authorities.together('both');
    await passes('GRPC_TLS_CA with both authorities', () => roll(() => ({ GRPC_TLS_CA: both })));
    await passes('certificates of the new authority', () => roll((service) => next.certificate(service)));
    await passes('the new authority alone', () => roll(() => ({ GRPC_TLS_CA: next.file })));
  });
});

function newSecret(): string {
  const secret = randomBytes(32).toString('base64');
  noteSecret('deployment secret', secret);
  return secret;
}

/** Certificate authorities by openssl, in a folder of their own. */
class Authorities implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tessera-certificates-'));
  readonly #files: string[] = [];

  make(name: string) {
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    const at = (file: string) => join(folder, file);
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' });
    openssl('req', '-x509', ...key, '-keyout', at('ca.key'), '-out', at('ca'), '-subj', `/CN=${name} CA`, '-days', '1');
    this.#files.push(at('ca'));
    writeFileSync(at('ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1');
    const by = ['-CA', at('ca'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('ext')];
    const certificate = (service: Service): Environment => {
      const [own, request, made] = [at(`${service}.key`), at(`${service}.csr`), at(`${service}.crt`)];
      openssl('req', ...key, '-keyout', own, '-out', request, '-subj', `/CN=${service}`);
      openssl('x509', '-req', '-in', request, ...by, '-out', made, '-days', '1');
      return { GRPC_TLS_CERT: made, GRPC_TLS_KEY: own };
    };
    return { file: at('ca'), certificate };
  }

  /** One file with all of them. */
  together(name: string): string {
    const file = join(this.#folder, name);
    writeFileSync(file, this.#files.map((path) => readFileSync(path, 'utf8')).join(''));
    return file;
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** After each case, so that a run that is cut off leaves what it has measured. */
function write(): void {
  record('Rolling and rotating', [
    'The steps of [rotation.md](rotation.md), one replica after the other (`/ready` of one before the next), with two replicas of every service and of the',
    `gateway and mutual TLS between them. "lost" and "failed" are 0, or the test fails. ${measuredHere()}`,
    '',
    ...tableHead.map((line) => line.replace('fault', 'what')),
    ...rows.map(tableRow),
  ]);
}
