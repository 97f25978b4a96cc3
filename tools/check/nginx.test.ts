import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { testUnless } from '../../test/support/unless.ts';
import { repositoryFolder } from '../stack/repository.ts';

const isMissing = ['nginx', 'openssl'].some((program) => spawnSync(program, ['-v'], { stdio: 'ignore' }).error !== undefined);

testUnless(isMissing && 'NOT RUN with nginx: apt-get install nginx openssl')('nginx loads deploy/reverse-proxy/nginx.conf', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const [certificate, key] = [join(folder, 'id.crt'), join(folder, 'id.key')];
  const subject = ['-subj', '/CN=id.example.com', '-days', '1', '-nodes', '-newkey', 'rsa:2048'];
  execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const shipped = readFileSync(join(repositoryFolder, 'deploy', 'reverse-proxy', 'nginx.conf'), 'utf8');
  const site = shipped.replaceAll(/\/etc\/nginx\/tls\/id\.example\.com\.(crt|key)/g, (_, end) => (end === 'crt' ? certificate : key));
  const main = `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\n  access_log off;\n${site}\n}\n`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  const { status, stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', join(folder, 'nginx.conf')], { encoding: 'utf8' });
  expect([stderr, status]).toStrictEqual([expect.stringContaining('test is successful'), 0]);
});
