/** The binary of Cerbos with one policy, read from a folder; no audit, no telemetry. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { URL: url, GRPC_LISTEN: grpcListen, ACTIONS: actions } = process.env;
const policies = join(process.cwd(), 'policies');
mkdirSync(policies, { recursive: true });
writeFileSync(
  join(policies, 'invoice.yaml'),
  `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  version: default
  resource: invoice
  rules:
    - actions: ['read']
      effect: EFFECT_ALLOW
      roles: ['reader']
      condition: { match: { expr: R.attr.amount < 1000 } }
    - actions: ${actions}
      effect: EFFECT_ALLOW
      roles: ['reader']
`,
);
writeFileSync(
  join(process.cwd(), 'cerbos.yaml'),
  JSON.stringify({
    server: { httpListenAddr: new URL(url).host, grpcListenAddr: grpcListen },
    storage: { driver: 'disk', disk: { directory: policies, watchForChanges: false } },
    telemetry: { disabled: true },
  }),
);

const platform = `@cerbos/cerbos-${process.platform}-${process.arch}`;
const binary = createRequire(import.meta.url).resolve(platform);
const child = spawn(binary, ['server', '--config=cerbos.yaml', '--log-level=error'], { stdio: ['ignore', 'ignore', 'inherit'] });
child.on('exit', (code) => process.exit(code ?? 1));
process.on('SIGTERM', () => child.kill('SIGTERM'));

async function isReady() {
  return fetch(`${url}/_cerbos/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}
while (!(await isReady())) await new Promise((wait) => setTimeout(wait, 100));
console.log(url);
