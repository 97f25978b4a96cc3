/** The chart as Go's own text/template renders it, which is what Helm uses. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { describeUnless } from '../../test/support/unless.ts';
import { readConfiguration } from '../doctor/configuration.ts';
import { type Service, services } from '../services.ts';
import { repositoryFolder } from '../stack/repository.ts';

const chart = join(repositoryFolder, 'deploy', 'kubernetes', 'tessera');
const skip = spawnSync('go', ['version']).error !== undefined && 'NOT RUN: apt-get install golang-go';

/** Manifests have the shape that their kind says; tests look into them as they please. */
// biome-ignore lint/suspicious/noExplicitAny: a manifest is what is tested, so its shape is unknown
type Manifest = any;

const folder = mkdtempSync(join(tmpdir(), 'chart-'));
const program = join(folder, 'render');

function run(changes: object) {
  const names = readdirSync(join(chart, 'templates'));
  const templates = Object.fromEntries(names.map((name) => [name, readFileSync(join(chart, 'templates', name), 'utf8')]));
  // The templates see no aliases, as after Helm's own reading of the values.
  const values = JSON.parse(JSON.stringify(parse(readFileSync(join(chart, 'values.yaml'), 'utf8'))));
  const { appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'));
  const data = { Values: merged(values, changes), Release: { Name: 'iam' }, Chart: { AppVersion: appVersion } };
  return spawnSync(program, { input: JSON.stringify({ templates, data }), encoding: 'utf8' });
}

function render(changes: object = {}): readonly Manifest[] {
  const { status, stdout, stderr } = run(changes);
  expect([stderr, status]).toStrictEqual(['', 0]);
  const documents = Object.values<string>(JSON.parse(stdout)).flatMap((text) => parseAllDocuments(text));
  expect(documents.flatMap(({ errors }) => errors)).toStrictEqual([]);
  return documents.map((document) => document.toJS()).filter((manifest) => manifest !== null && manifest !== undefined);
}

function merged(values: Record<string, unknown>, changes: object): Record<string, unknown> {
  const result = { ...values };
  for (const [name, change] of Object.entries(changes)) {
    const before = result[name];
    const isNested = [before, change].every((part) => typeof part === 'object' && part !== null && !Array.isArray(part));
    result[name] = isNested ? merged(before as Record<string, unknown>, change) : change;
  }
  return result;
}

function ofKind(manifests: readonly Manifest[], kind: string): readonly Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}

const everything = {
  ingress: { enabled: true },
  externalSecret: { enabled: true, storeName: 'vault', key: 'iam/production' },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  networkPolicy: { egressTo: [{ to: [{ ipBlock: { cidr: '10.1.0.0/16' } }] }] },
  grpcTlsSecret: 'iam-tls',
  natsSecret: 'iam-nats',
  adminSecret: 'iam-admin',
  nodeSelector: { pool: 'iam' },
  tolerations: [{ key: 'iam', operator: 'Exists' }],
  migrationSecret: 'iam-direct',
  pooler: { enabled: true, image: 'registry.example/pgbouncer:1.18', secret: 'iam-pooler' },
  databaseSecrets: { rbac: 'iam-rbac' },
  autoscaling: { passwordJobs: 10 },
};

describeUnless(skip)('the rendered chart', () => {
  beforeAll(() => {
    const given = ['build', '-o', program, join(repositoryFolder, 'tools', 'check', 'chart-render', 'main.go')];
    const { status, stderr } = spawnSync('go', given, { encoding: 'utf8', env: { ...process.env, GO111MODULE: 'off' } });
    expect([stderr, status]).toStrictEqual(['', 0]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('every pod keeps the restricted Pod Security Standard, with requests and a bound of memory', () => {
    const pods = render(everything).filter(({ spec }) => spec?.template?.spec?.containers !== undefined);
    const names = [...services, 'migrate', 'pooler'].map((name) => `iam-${name}`);
    expect(pods.map(({ metadata }) => metadata.name).toSorted()).toStrictEqual(names.toSorted());
    for (const { metadata, spec } of pods) {
      const { containers, volumes, securityContext, hostNetwork, hostPID, automountServiceAccountToken } = spec.template.spec;
      expect([hostNetwork, hostPID, automountServiceAccountToken]).toStrictEqualFor(metadata.name, [undefined, undefined, false]);
      expect([securityContext.seccompProfile.type, securityContext.runAsUser]).toStrictEqualFor(metadata.name, ['RuntimeDefault', 1000]);
      for (const volume of volumes)
        expect(Object.keys(volume)).toStrictEqualFor(volume.name, ['name', expect.stringMatching(/^(?:emptyDir|secret)$/)]);
      for (const container of containers) {
        expect(container.securityContext).toStrictEqualFor(metadata.name, {
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        if (metadata.name !== 'iam-migrate')
          expect([container.resources.requests.memory, container.resources.limits.memory]).toStrictEqualFor(metadata.name, [
            expect.stringMatching(/^\d+Mi$/),
            expect.stringMatching(/^\d+Mi$/),
          ]);
      }
    }
  });

  test('each service is spread over nodes, keeps replicas while nodes are drained, and never rolls below its number', () => {
    const manifests = render();
    for (const service of services) {
      const [deployment] = ofKind(manifests, 'Deployment').filter(({ metadata }) => metadata.name === `iam-${service}`);
      const labels = deployment.spec.template.metadata.labels;
      expect(deployment.spec.selector.matchLabels).toStrictEqualFor(service, labels);
      expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
      const keys = deployment.spec.template.spec.topologySpreadConstraints.map(({ topologyKey }: Manifest) => topologyKey);
      expect(keys).toStrictEqualFor(service, ['kubernetes.io/hostname', 'topology.kubernetes.io/zone']);
      const [budget] = ofKind(manifests, 'PodDisruptionBudget').filter(({ metadata }) => metadata.name === `iam-${service}`);
      expect([budget.spec.maxUnavailable, budget.spec.selector.matchLabels]).toStrictEqualFor(service, [1, labels]);
      const [scaler] = ofKind(manifests, 'HorizontalPodAutoscaler').filter(({ metadata }) => metadata.name === `iam-${service}`);
      expect([scaler.spec.minReplicas, deployment.spec.replicas]).toStrictEqualFor(service, [2, undefined]);
    }
    const fixed = render({ autoscaling: { enabled: false } });
    expect(ofKind(fixed, 'HorizontalPodAutoscaler')).toHaveLength(0);
    expect(ofKind(fixed, 'Deployment').map(({ spec }) => spec.replicas)).toStrictEqual([2, 2, 2, 2, 2]);
  });

  test('with what the Secret has, every service accepts its environment, and no service gets the secret of another', () => {
    const url = 'postgres://x:y@db.example.com/tessera';
    const secret: Record<string, string> = {
      INTERNAL_AUTH_SECRET: 'x'.repeat(40),
      KEYS_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      IDENTITY_DATABASE_URL: url,
      TENANCY_DATABASE_URL: url,
      RBAC_DATABASE_URL: url,
      KEYS_DATABASE_URL: url,
      REDIS_URL: 'rediss://redis.example.com',
      NATS_URL: 'tls://nats.example.com:4222',
      SMTP_URL: 'smtps://mail.example.com',
    };
    for (const { metadata, spec } of ofKind(render(everything), 'Deployment')) {
      if (metadata.name === 'iam-pooler') continue;
      const service = metadata.name.slice('iam-'.length) as Service;
      const [{ env }] = spec.template.spec.containers;
      const entries: [string, string | undefined][] = env.map(({ name, value, valueFrom }: Manifest) => [
        name,
        value ?? secret[valueFrom.secretKeyRef.key],
      ]);
      const environment = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
      const { findings } = readConfiguration(service, environment);
      expect(findings.filter(({ level }) => level === 'error')).toStrictEqualFor(service, []);
      const databases = Object.keys(environment).filter((name) => name.endsWith('_DATABASE_URL'));
      expect(databases).toStrictEqualFor(service, service === 'gateway' ? [] : [`${service.toUpperCase()}_DATABASE_URL`]);
      expect('KEYS_ENCRYPTION_KEY' in environment).toStrictEqualFor(service, service === 'keys');
    }
  });

  test('identity is scaled by the passwords that wait too, where that is set, and nothing else is', () => {
    const metricsOf = (changes: object) =>
      ofKind(render(changes), 'HorizontalPodAutoscaler')
        .flatMap(({ metadata, spec }) => spec.metrics.map((metric: Manifest) => [metadata.name, metric] as const))
        .filter(([, { type }]) => type !== 'Resource');
    expect(metricsOf({})).toStrictEqual([]);
    const metric = { name: 'identity_password_jobs', selector: { matchLabels: { state: 'unfinished' } } };
    const pods = { metric, target: { type: 'AverageValue', averageValue: '10' } };
    expect(metricsOf(everything)).toStrictEqual([['iam-identity', { type: 'Pods', pods }]]);
  });

  test('a service whose Postgres is another cluster has its URL from a Secret of its own, and the migration job too', () => {
    const secretOf = (container: Manifest, name: string) =>
      container.env.find((variable: Manifest) => variable.name === name)?.valueFrom.secretKeyRef.name;
    const databases = (changes: object) => {
      const manifests = render(changes);
      const [job] = ofKind(manifests, 'Job');
      return ['identity', 'tenancy', 'rbac', 'keys'].map((service) => {
        const name = `${service.toUpperCase()}_DATABASE_URL`;
        const [deployment] = ofKind(manifests, 'Deployment').filter(({ metadata }) => metadata.name === `iam-${service}`);
        return [secretOf(deployment.spec.template.spec.containers[0], name), secretOf(job.spec.template.spec.containers[0], name)];
      });
    };
    const [shared, own] = [
      ['tessera', 'tessera'],
      ['iam-rbac', 'iam-rbac'],
    ];
    expect(databases({})).toStrictEqual([shared, shared, shared, shared]);
    expect(databases({ databaseSecrets: { rbac: 'iam-rbac' } })).toStrictEqual([shared, shared, own, shared]);
    expect(databases(everything).map(([, job]) => job)).toStrictEqual(Array.from({ length: 4 }, () => 'iam-direct'));
  });

  test('the pooler is spread and kept like a service, reached by the services alone, and they know of it', () => {
    const manifests = render(everything);
    const named = (kind: string) => ofKind(manifests, kind).find(({ metadata }) => metadata.name === 'iam-pooler');
    const { spec } = named('Deployment');
    expect([spec.replicas, spec.strategy.rollingUpdate.maxUnavailable]).toStrictEqual([2, 0]);
    expect(spec.template.spec.topologySpreadConstraints).toHaveLength(2);
    expect(named('PodDisruptionBudget').spec.selector.matchLabels).toStrictEqual(spec.template.metadata.labels);
    expect(named('Service').spec.ports).toStrictEqual([{ name: 'postgres', port: 6432, targetPort: 'postgres' }]);
    const own = { 'app.kubernetes.io/name': 'tessera', 'app.kubernetes.io/instance': 'iam' };
    expect(named('NetworkPolicy').spec.ingress).toStrictEqual([
      { ports: [{ port: 'postgres' }], from: [{ podSelector: { matchLabels: own } }] },
    ]);
    for (const { metadata, spec: of } of ofKind(manifests, 'Deployment').filter(({ metadata }) => metadata.name !== 'iam-pooler')) {
      const told = of.template.spec.containers[0].env.filter(({ name }: Manifest) => name === 'DATABASE_POOLER');
      expect(told).toStrictEqualFor(
        metadata.name,
        metadata.name === 'iam-gateway' ? [] : [{ name: 'DATABASE_POOLER', value: 'transaction' }],
      );
    }
  });

  test('a pooler without an image, or without the way of migrations past it, is refused with the reason', () => {
    expect(run({ pooler: { enabled: true } }).stderr).toContain('pooler.image is missing');
    expect(run({ pooler: { enabled: true, image: 'x' } }).stderr).toContain('migrationSecret is missing');
    expect(ofKind(render(), 'Deployment')).toHaveLength(services.length);
  });

  test('an external secret is there before the migration job, and outlives its own renewal', () => {
    const [external] = ofKind(render(everything), 'ExternalSecret');
    expect(external.metadata.annotations).toStrictEqual({ 'helm.sh/hook': 'pre-install,pre-upgrade', 'helm.sh/hook-weight': '-10' });
    expect(external.spec.target).toStrictEqual({ name: 'tessera', creationPolicy: 'Orphan' });
    expect(external.spec.dataFrom).toStrictEqual([{ extract: { key: 'iam/production' } }]);
    expect(ofKind(render(), 'ExternalSecret')).toHaveLength(0);
  });

  test('a service monitor finds the port of every service, under the job that alerts and dashboard ask for', () => {
    const manifests = render(everything);
    const [monitor] = ofKind(manifests, 'ServiceMonitor');
    const wanted: Record<string, string> = monitor.spec.selector.matchLabels;
    const found = ofKind(manifests, 'Service').filter(
      ({ metadata, spec }) =>
        Object.entries(wanted).every(([name, value]) => metadata.labels?.[name] === value) &&
        spec.ports.some(({ name }: Manifest) => name === 'http'),
    );
    expect(found).toHaveLength(services.length);
    expect(monitor.spec.endpoints).toStrictEqual([
      { port: 'http', path: '/metrics', interval: '15s', honorLabels: true, relabelings: [{ targetLabel: 'job', replacement: 'tessera' }] },
    ]);
  });

  test('network policies let in the ingress and the platform, and with egressTo out to what is named and to names', () => {
    const open = ofKind(render(), 'NetworkPolicy');
    expect(open.map(({ spec }) => spec.policyTypes)).toStrictEqual(services.map(() => ['Ingress']));
    const closed = ofKind(render(everything), 'NetworkPolicy');
    for (const { metadata, spec } of closed) {
      expect(spec.policyTypes).toStrictEqualFor(metadata.name, ['Ingress', 'Egress']);
      const [names, own, ...named] = spec.egress;
      expect(names.ports.map(({ port }: Manifest) => port)).toStrictEqualFor(metadata.name, [53, 53]);
      if (metadata.name !== 'iam-pooler') expect(own.to[0].podSelector.matchLabels['app.kubernetes.io/instance']).toBe('iam');
      expect(metadata.name === 'iam-pooler' ? [own, ...named] : named).toStrictEqualFor(metadata.name, everything.networkPolicy.egressTo);
    }
  });
});
