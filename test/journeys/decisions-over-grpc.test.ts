/** What docs/decisions-over-grpc.md promises, on a whole stack with two replicas of rbac. */

import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allMethods, createApplication } from '../../services/rbac/src/testing/application.ts';
import { choosePort } from '../../tools/stack/ports.ts';
import { repositoryFolder } from '../../tools/stack/repository.ts';
import { startOwnStack } from '../support/shared-stack.ts';
import { testUnless } from '../support/unless.ts';
import { assertMeasuredWithin, until } from '../support/until.ts';
import { addMember, builtInRole, createOrganization, createPerson, createProject, dataOf, type Person } from '../support/world.ts';

const run = promisify(execFile);
let system: Awaited<ReturnType<typeof startOwnStack>>;
let world: Awaited<ReturnType<typeof createKeys>>;
let gateway = '';
const opened: { close(): void }[] = [];
function open(address: string) {
  const application = createApplication(address);
  opened.push(application);
  return application;
}

/** A project with a key that may name users, one that may not, and a member with few rights. */
async function createKeys() {
  const owner = await createPerson(system);
  const organization = await createOrganization(owner);
  const project = await createProject(owner, organization);
  const viewer = await addMember(system, owner, organization, 'Viewer');
  const { client, token } = owner;
  const createKey = async (role: string) => {
    const roleId = await builtInRole(owner, organization, role);
    const key = dataOf(await client.post('/api/api-keys', { scope: project, name: role, roleId }, token));
    const { clientId, clientSecret } = key;
    const { accessToken } = dataOf(await client.post('/api/auth/token', { clientId, clientSecret, scope: project }));
    const revoke = async () => dataOf(await client.post(`/api/api-keys/${key.id}/revoke`, { scope: project }, token));
    return { clientId: String(clientId), clientSecret: String(clientSecret), token: String(accessToken), revoke };
  };
  return { owner, organization, project, viewer, createKey, evaluator: await createKey('Admin'), reader: await createKey('Viewer') };
}

beforeAll(async () => {
  gateway = `127.0.0.1:${await choosePort(0, '127.0.0.1')}`;
  system = await startOwnStack({ replicas: { rbac: 2 }, env: { GATEWAY_GRPC_LISTEN: gateway } });
  world = await createKeys();
}, 240_000);
afterAll(async () => {
  for (const { close } of opened) close();
  await system.close();
});

const reads = { resource: 'Role', action: 'Query' };
const check = { ...reads, subject: { type: 'self' } };

describe('the credentials of a key', () => {
  test('open rbac.v1.Authorization on rbac and through the gateway, and no other method of any service', async () => {
    const { identity, tenancy, rbac, keys } = system.grpcUrls;
    const session: Person = world.owner;
    for (const [place, url] of Object.entries({ identity, tenancy, rbac, keys, gateway })) {
      const application = open(url);
      const servesDecisions = place === 'rbac' || place === 'gateway';
      for (const { service, path } of allMethods) {
        const isDoor = servesDecisions && service === 'rbac.v1.Authorization';
        const request = path.endsWith('IsAuthorizedMany')
          ? { checks: [check] }
          : isDoor
            ? { ...check, ...(path.endsWith('FindSubjects') && { type: 'user' }) }
            : {};
        const codeWith = async (token: string | undefined) => (await application.call(path, application.withToken(token), request)).code;
        const [withKey, withSession, without] = [
          await codeWith(world.evaluator.token),
          await codeWith(session.token),
          await codeWith(undefined),
        ];
        if (isDoor)
          expect([place, path, withKey, withSession, without]).toStrictEqual([place, path, 'OK', 'PERMISSION_DENIED', 'UNAUTHENTICATED']);
        else
          for (const code of [withKey, withSession, without])
            expect([place, path, code]).toStrictEqual([place, path, expect.stringMatching(/^UN(AUTHENTICATED|IMPLEMENTED)$/)]);
      }
      const health = await application.call('/grpc.health.v1.Health/Check', application.withToken(undefined), {});
      expect([place, health]).toStrictEqual([place, { code: 'OK', bytes: Buffer.from('0801', 'hex') }]);
    }
  }, 120_000);

  test('end within a second of the revocation of the key, on every replica and through the gateway', async () => {
    const places = [open(system.stack.doors('rbac', 0).grpcUrl), open(system.stack.doors('rbac', 1).grpcUrl), open(gateway)];
    await assertMeasuredWithin(1_000, async () => {
      const key = await world.createKey('Viewer');
      for (const place of places) expect((await place.isAuthorized(key.token, check)).code).toBe('OK');
      await key.revoke();
      const revokedAt = performance.now();
      await Promise.all(places.map((place) => until(async () => (await place.isAuthorized(key.token, check)).code === 'UNAUTHENTICATED')));
      return performance.now() - revokedAt;
    });
  });

  test('an end user who signs out is NOT_AUTHENTICATED within a second', async () => {
    const application = open(gateway);
    await assertMeasuredWithin(1_000, async () => {
      const leaver = await addMember(system, world.owner, world.organization, 'Viewer');
      const ask = async () => (await application.isAuthorized(world.reader.token, { ...reads, userToken: leaver.token })).reason;
      expect(await ask()).toBe('PERMISSION_GRANTED_NO_CONDITION');
      dataOf(await leaver.client.post('/api/me/logout', {}, leaver.token));
      const leftAt = performance.now();
      await until(async () => (await ask()) === 'NOT_AUTHENTICATED');
      return performance.now() - leftAt;
    });
  });
});

test('the gateway goes on with one replica of rbac', async () => {
  const application = open(gateway);
  await system.stack.processes['rbac-2']?.stop();
  for (let count = 0; count < 10; count += 1) expect((await application.isAuthorized(world.reader.token, check)).code).toBe('OK');
});

describe('the clients of the guide', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-guide-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const examples = join(repositoryFolder, 'examples', 'decisions-over-grpc');
  const proto = join(repositoryFolder, 'proto');
  const expected = [
    'user token: true PERMISSION_GRANTED_NO_CONDITION',
    'by name: true false',
    /^elsewhere: (PERMISSION_DENIED|PermissionDenied)$/,
  ];

  const environment = () => ({
    ...process.env,
    TESSERA_URL: system.url,
    TESSERA_GRPC: gateway,
    PROTO_DIR: proto,
    TESSERA_CLIENT_ID: world.evaluator.clientId,
    TESSERA_CLIENT_SECRET: world.evaluator.clientSecret,
    TESSERA_SCOPE: `${world.project.tenant}:${world.project.id}`,
    USER_TOKEN: world.viewer.token,
    USER_ID: world.viewer.userId,
  });
  const expectOutput = (output: string): void => {
    const lines = output.trim().split('\n');
    expect(lines).toHaveLength(expected.length);
    for (const [index, line] of expected.entries()) expect(lines[index]).toMatch(line);
  };

  test('Node', async () => {
    const { stdout } = await run(process.execPath, [join(examples, 'node', 'client.mjs')], { env: environment() });
    expectOutput(stdout);
  });

  /** Why a client can't run here, said aloud in the name of its test. */
  const missing = (language: string, probe: () => unknown): string | false => {
    try {
      probe();
      return false;
    } catch {
      return `SKIPPED: the ${language} client of the guide was NOT RUN, its packages are missing (.ci/run installs them)`;
    }
  };
  const quietly = (program: string, args: readonly string[]) => execFileSync(program, args, { stdio: 'ignore' });
  const hasProtoc = () => quietly('protoc', ['--version']);

  const withoutPython = missing('Python', () => [hasProtoc(), quietly('/usr/bin/python3', ['-c', 'import grpc, google.protobuf'])]);
  testUnless(withoutPython)('Python', async () => {
    const out = join(folder, 'python');
    mkdirSync(out);
    await run('protoc', ['-I', proto, `--python_out=${out}`, 'rbac/v1/authorization.proto']);
    cpSync(join(examples, 'python', 'client.py'), join(out, 'client.py'));
    const { stdout } = await run('/usr/bin/python3', ['client.py'], { cwd: out, env: environment() });
    expectOutput(stdout);
  });

  const gocode = '/usr/share/gocode';
  const withoutGo = missing('Go', () => [
    hasProtoc(),
    quietly('sh', ['-c', 'command -v protoc-gen-go && command -v protoc-gen-go-grpc']),
    quietly('test', ['-d', `${gocode}/src/google.golang.org/grpc`, '-a', '-d', `${gocode}/src/google.golang.org/protobuf`]),
    quietly('go', ['version']),
  ]);
  testUnless(withoutGo)(
    'Go',
    async () => {
      const source = join(folder, 'go', 'src');
      mkdirSync(join(source, 'client'), { recursive: true });
      const file = 'rbac/v1/authorization.proto';
      const module = `M${file}=tessera.example/rbacv1`;
      const out = [`--go_out=${source}`, `--go_opt=${module}`, `--go-grpc_out=${source}`, `--go-grpc_opt=${module}`];
      await run('protoc', ['-I', proto, ...out, file]);
      cpSync(join(examples, 'go', 'main.go'), join(source, 'client', 'main.go'));
      const env = { ...environment(), GO111MODULE: 'off', GOFLAGS: '', GOPATH: `${join(folder, 'go')}:${gocode}` };
      await run('go', ['build', '-o', join(folder, 'client'), 'client'], { env });
      expectOutput((await run(join(folder, 'client'), { env })).stdout);
    },
    300_000,
  );
});
