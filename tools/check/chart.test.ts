import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { repositoryFolder } from '../stack/repository.ts';

/** The chart as text: no program that renders it is part of the toolchain. */
function read(path: string): string {
  return readFileSync(join(repositoryFolder, 'deploy', 'kubernetes', 'tessera', path), 'utf8');
}
const values = parse(read('values.yaml'));

test('the ingress leads /metrics and /ready to a service without pods', () => {
  const ingress = read('templates/ingress.yaml');
  const [hidden = ''] = ingress.match(/kind: Service[\s\S]*?---/) ?? [];
  expect(hidden).toContain('name: {{ .Release.Name }}-hidden');
  expect(hidden).not.toContain('selector');
  const hiding = /range \$path := list "\/metrics" "\/ready"[\s\S]*?-hidden[\s\S]*?path: \/\n/;
  expect(ingress).toMatch(hiding);
});

test('only the ingress reaches the gateway, which believes its X-Forwarded-For', () => {
  expect(values.serviceEnv.gateway.SECURITY_TRUST_PROXY).toBe('1');
  expect(values.networkPolicy.gatewayFrom).toStrictEqual([
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } },
  ]);
  expect(read('templates/services.yaml')).toContain('from: {{- toYaml $.Values.networkPolicy.gatewayFrom');
});

test('every value that the templates read has a default', () => {
  const templates = ['services', 'ingress', 'migrate', 'external-secret', 'service-monitor', 'pooler']
    .map((name) => read(`templates/${name}.yaml`))
    .join('');
  const names = new Set([...templates.matchAll(/\.Values\.(\w+)/g)].map(([, name = '']) => name));
  expect([...names].filter((name) => !(name in values))).toStrictEqual([]);
  expect([...names]).toEqual(expect.arrayContaining(['envFrom', 'volumes', 'volumeMounts', 'grpcTlsSecret', 'serviceAccountName']));
});

test('the gateway answers decisions over gRPC, to the pods of the release’s namespace by default', () => {
  const services = read('templates/services.yaml');
  expect(services).toContain("{ name: GATEWAY_GRPC_LISTEN, value: '0.0.0.0:3001' }");
  expect(services).toContain('{ name: grpc, port: {{ ternary 3001 5000 $isGateway }}, targetPort: grpc }');
  expect(services).toMatch(/with \$\.Values\.networkPolicy\.decisionsFrom \}\}\n {4}- ports: \[\{ port: grpc \}\]/);
  expect(values.networkPolicy.decisionsFrom).toStrictEqual([{ podSelector: {} }]);
});
