/** Runs the commands of a page for operators as they stand there, with free ports. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePort } from '../../tools/stack/ports.ts';
import { repositoryFolder } from '../../tools/stack/repository.ts';
import { until } from './until.ts';

/** The blocks of shell between two headings of a page, in their order. */
export function commandsOf(page: string, from: string, to?: string): readonly string[] {
  const text = readFileSync(join(repositoryFolder, page), 'utf8');
  const section = text.slice(text.indexOf(from), to === undefined ? undefined : text.indexOf(to));
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** docs/operating.md, "Without containers". */
export function startCommands(): readonly string[] {
  return commandsOf('docs/operating.md', '## Without containers', '## Compose profiles');
}

/** The HTTP ports of the services and of the gateways there: first replicas, then second. */
export const httpPorts = ['4001', '4002', '4003', '4004', '4011', '4012', '4013', '4014'];
export const gatewayPorts = ['3000', '3010'];
const grpcPorts = ['5001', '5002', '5003', '5004', '5011', '5012', '5013', '5014'];

/** Each port of the page as a free one of this machine. */
export async function choosePorts(): Promise<ReadonlyMap<string, string>> {
  const ports = new Map<string, string>();
  for (const port of [...httpPorts, ...grpcPorts, ...gatewayPorts])
    for (let chosen = ''; !ports.has(port); ) {
      chosen = String(await choosePort(0, '127.0.0.1'));
      if (![...ports.values()].includes(chosen)) ports.set(port, chosen);
    }
  return ports;
}

export function withPorts(script: string, ports: ReadonlyMap<string, string>): string {
  return script.replaceAll(/\b[345]0\d\d\b/g, (port) => ports.get(port) ?? port);
}

/** A checkout as the pages start from: what is committed, and no .env. */
export function openCheckout(cleanup: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-operating-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of readdirSync(repositoryFolder))
    if (!name.startsWith('.') && name !== 'node_modules') symlinkSync(join(repositoryFolder, name), join(folder, name));
  return folder;
}

/** The last command of "Without containers", once more. */
export async function doctor(cwd: string) {
  const args = ['--disable-warning=ExperimentalWarning', 'tools/doctor/main.ts', '--env-file', '.env'];
  const child = spawn(process.execPath, args, { cwd, env: { PATH: process.env.PATH } });
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  const [status] = await once(child, 'close');
  return { status, stdout };
}

/** Runs the commands, then waits: `end` lets it stop every process. */
export function runCommands(cleanup: AsyncDisposableStack, folder: string, script: string, env: NodeJS.ProcessEnv) {
  const after = 'echo "processes: $(jobs -p | tr "\\n" " ")"\nread -r _ || true\nkill $(jobs -p) || true\nwait || true';
  const child = spawn('bash', ['-euc', `${script}\n${after}`], { cwd: folder, detached: true, env });
  cleanup.defer(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const ended = new Promise<number | null>((settle) => child.once('close', settle));
  const ready = async () => {
    await Promise.race([ended, until(() => output.stdout.includes('processes: '), 240_000)]);
    return (/^processes: (.*)$/m.exec(output.stdout)?.[1] ?? '').split(' ').filter(Boolean).map(Number);
  };
  const end = () => {
    child.stdin.end();
    return ended;
  };
  return { output, ready, end };
}
