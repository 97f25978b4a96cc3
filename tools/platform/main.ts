/**
 * `npm run platform:admin -- grant|revoke|list <email>`: who administers the platform. The database
 * is that of IDENTITY_DATABASE_URL, or the one of a running `npm start` in `--data-dir`.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type Administrator, grant, list, Refused, revoke } from './administrators.ts';

const usage = `usage: npm run platform:admin -- grant EMAIL [--data-dir FOLDER]
       npm run platform:admin -- revoke EMAIL [--data-dir FOLDER]
       npm run platform:admin -- list [--json] [--data-dir FOLDER]

Exit codes: 0 done, or it was so already; 1 not possible; 64 wrong usage.`;

const asked = readArguments();
if (asked === undefined) {
  process.stderr.write(`${usage}\n`);
  process.exitCode = 64;
} else {
  try {
    process.stdout.write(await perform(asked));
  } catch (error) {
    process.stderr.write(`${error instanceof Refused ? error.message : `The database was not reached: ${String(error)}`}\n`);
    process.exitCode = 1;
  }
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { 'data-dir': { type: 'string' }, json: { type: 'boolean', default: false } },
    });
    const [task, email = '', ...more] = positionals;
    const fits = task === 'list' ? email === '' : (task === 'grant' || task === 'revoke') && email !== '';
    return fits && more.length === 0 ? { task, email, dataDir: values['data-dir'], isJson: values.json } : undefined;
  } catch {
    return undefined;
  }
}

async function perform({ task, email, dataDir, isJson }: NonNullable<typeof asked>): Promise<string> {
  const client = new pg.Client({ connectionString: await urlOf(dataDir), options: '-c search_path=identity' });
  await client.connect();
  try {
    if (task === 'grant') return (await grant(client, email)) ? `${email} administers the platform.\n` : `${email} did already.\n`;
    if (task === 'revoke') return (await revoke(client, email)) ? `${email} does no longer.\n` : `${email} did not.\n`;
    const all = await list(client);
    return isJson ? `${JSON.stringify(all, null, 2)}\n` : all.map(lineOf).join('');
  } finally {
    await client.end();
  }
}

async function urlOf(dataDir: string | undefined): Promise<string> {
  if (dataDir !== undefined) return (await import('./embedded.ts')).embeddedUrl(dataDir);
  const url = process.env['IDENTITY_DATABASE_URL'];
  if (url === undefined) throw new Refused('Missing: IDENTITY_DATABASE_URL, or --data-dir of a running npm start');
  return url;
}

function lineOf({ email, name, grantedAt, hasSecondFactor, holdsAddress }: Administrator): string {
  const factor = hasSecondFactor ? 'with a second factor' : 'WITHOUT a second factor';
  return `${email}  ${name}  since ${new Date(grantedAt).toISOString()}  ${factor}${holdsAddress ? '' : '  (holds no address: no rights)'}\n`;
}
