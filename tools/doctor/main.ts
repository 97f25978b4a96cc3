/**
 * `npm run doctor`: looks at the configuration in the environment, and at everything that it leads
 * to. Prints what works, what does not, and what is unsafe for production; never a secret.
 */
import { readFileSync } from 'node:fs';
import { parseArgs, parseEnv } from 'node:util';
import { textOfFindings } from '../../packages/cli/src/doctor/finding.ts';
import { type Service, services } from '../services.ts';
import { examine } from './doctor.ts';

const usage = `usage: npm run doctor -- [--env-file FILE]… [--service NAME]… [--offline] [--timeout SECONDS] [--json]

Reads the environment (and FILE, which the environment overrides) of one service or of all. Exit codes: 0 nothing to do,
1 something does not work, 2 it works but is unsafe for production, 64 wrong usage.`;

const options = readArguments();
if (options === undefined) process.exitCode = 64;
else {
  const report = await examine(options);
  process.stdout.write(options.isJson ? `${JSON.stringify(report, null, 2)}\n` : `${textOfFindings(report.findings)}\n`);
  process.exitCode = report.exitCode;
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        'env-file': { type: 'string', multiple: true, default: [] },
        service: { type: 'string', multiple: true },
        offline: { type: 'boolean', default: false },
        timeout: { type: 'string', default: '3' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const named = values.service?.map((name) => {
      if (!isService(name)) throw new Error(`${name} is no service: ${services.join(', ')}`);
      return name;
    });
    const timeoutMs = Number(values.timeout) * 1_000;
    if (!(timeoutMs > 0)) throw new Error('--timeout must be a number of seconds');
    if (values.help) throw new Error('help');
    const files = values['env-file'].map((file) => parseEnv(readFileSync(file, 'utf8')));
    const environment = Object.assign({}, ...files, process.env);
    return { environment, timeoutMs, isOffline: values.offline, isJson: values.json, ...(named === undefined ? {} : { services: named }) };
  } catch (error) {
    const message = error instanceof Error && error.message !== 'help' ? `${error.message}\n\n` : '';
    process.stderr.write(`${message}${usage}\n`);
    return undefined;
  }
}

function isService(name: string): name is Service {
  return (services as readonly string[]).includes(name);
}
