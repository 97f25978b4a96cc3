import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { type TesseraClient, TesseraError } from '@tessera/client';
import { type Command, Option } from 'commander';
import { type Globals, openContext, urlOf } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { fromAuth0 } from '../import/auth0.ts';
import { cognitoTable, rowsOfCognito } from '../import/cognito.ts';
import { rowsOfCsv } from '../import/csv.ts';
import { type Counts, noCounts, openJournal } from '../import/journal.ts';
import { rowsOfKeycloak } from '../import/keycloak.ts';
import { rowsOfNdjson } from '../import/ndjson.ts';
import { importPeople, type Send } from '../import/people.ts';
import { checkHash, keys, type Row, toPerson } from '../import/person.ts';
import { createProgress } from '../import/progress.ts';
import { counted, createOutput, type Output } from '../output.ts';

type ImportOptions = {
  readonly from?: string;
  readonly delimiter: string;
  readonly report?: string;
  readonly restart?: boolean;
  readonly dryRun?: boolean;
};

type Open = (source: Readable, delimiter: string, file: string) => AsyncIterable<Row>;

const formats: Readonly<Record<string, Open>> = {
  csv: (source, delimiter) => rowsOfCsv(source, delimiter),
  ndjson: (source) => rowsOfNdjson(source, toPerson),
  auth0: (source) => rowsOfNdjson(source, fromAuth0),
  keycloak: (source) => rowsOfKeycloak(source),
  // list-users answers JSON; the table of a user pool is CSV.
  cognito: (source, delimiter, file) => (/\.json$/i.test(file) ? rowsOfCognito(source) : rowsOfCsv(source, delimiter, cognitoTable)),
};

const help = `
The operator's import of people with the hashes of their passwords: it needs the credential of a platform administrator.
Columns of CSV and keys of NDJSON: ${keys.join(', ')}.
Interrupted, by Ctrl-C or a crash, the same command goes on where it was.
People whose address exists are skipped and named in the report; exit code 4 when there are any that were left out.`;

export function addImport(program: Command): void {
  program
    .command('import')
    .description('people of another system, with the hashes of their passwords')
    .argument('<file>', 'CSV, NDJSON, or an export of Auth0, Keycloak or Cognito')
    .addOption(new Option('--from <format>', 'what the file is; else what its name ends with').choices(Object.keys(formats)))
    .option('--delimiter <character>', 'what stands between the cells of CSV', ',')
    .option('--report <file>', 'who was left out, and why; <file>.report.ndjson')
    .option('--restart', 'begin anew, and forget how far an interrupted import has come')
    .option('--dry-run', 'read every row, say what is wrong, and send nothing')
    .addHelpText('after', help)
    .action(run);
}

async function run(file: string, options: ImportOptions, command: Command): Promise<void> {
  const globals = command.optsWithGlobals<Globals>();
  const size = sizeOf(file);
  const from = options.from ?? extname(file).slice(1).toLowerCase();
  const rows = rowsOf(file, from, options.delimiter);
  const report = options.report ?? `${file}.report.ndjson`;
  if (options.dryRun) return dryRun(rows, createOutput(globals.json === true));

  const { client, output } = openContext(globals);
  const journal = await openJournal({ file, url: urlOf(globals), from, report, isRestart: options.restart === true });
  if (journal.state.rows > 0) output.note(`Going on after ${counted(journal.state.rows, 'row')}.`);
  const progress = createProgress(size, {
    isTTY: process.stderr.isTTY && !output.isJson,
    write: (text) => void process.stderr.write(text),
  });
  const stop = stopOnSignal(output);
  try {
    const isWhole = await importPeople({
      rows,
      journal,
      send: sendBy(client),
      isStopped: () => stop.isStopped,
      onProgress: progress.show,
      patience: { note: output.note },
    });
    progress.end();
    if (!isWhole) throw new Failure(`Interrupted.`, exitCodes.interrupted);
  } catch (cause) {
    progress.end();
    if (cause instanceof TesseraError && cause.status === 403 && !output.isJson)
      output.note('This takes a platform administrator, whom an operator names: npm run platform:admin -- grant <address>');
    if (journal.state.rows > 0) output.note(`${counted(journal.state.rows, 'row')} done. The same command goes on from there.`);
    throw cause;
  } finally {
    stop.release();
    journal.close();
  }
  tellEnd(output, journal.state.counts, report);
}

/** The server takes a person once, so that a batch may be sent again. */
function sendBy(client: TesseraClient): Send {
  return (users) => client.importUsers({ users: [...users] });
}

function tellEnd(output: Output, counts: Counts, report?: string): void {
  const { created, exists, skipped, invalid } = counts;
  const leftOut = skipped + invalid;
  if (leftOut > 0) process.exitCode = exitCodes.no;
  const where = leftOut === 0 || report === undefined ? '' : ` Who was left out, and why: ${report}`;
  output.answer(
    { ...counts, ...(report === undefined ? {} : { report }) },
    `${created} created, ${exists} were there already, ${skipped} skipped, ${invalid} invalid.${where}`,
  );
}

/** The first signal stops between two batches; the second ends the process at once. */
function stopOnSignal({ note }: Output) {
  const stop = {
    isStopped: false,
    release: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
  function onSignal(): void {
    if (stop.isStopped) process.exit(exitCodes.interrupted);
    stop.isStopped = true;
    note('\nStopping after these people. Once more ends at once.');
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return stop;
}

function sizeOf(file: string): number {
  try {
    accessSync(file, constants.R_OK);
    const found = statSync(file);
    if (found.isFile()) return found.size;
  } catch {
    // Said below.
  }
  throw new Failure(`${file} cannot be read. It must be a file, because an interrupted import reads it again.`, exitCodes.usage);
}

function rowsOf(file: string, from: string, delimiter: string): AsyncIterable<Row> {
  if (Buffer.byteLength(delimiter) !== 1 || /["\r\n]/.test(delimiter)) throw new Failure('--delimiter is one character.', exitCodes.usage);
  const open = Object.hasOwn(formats, from) ? formats[from] : undefined;
  if (open === undefined) throw new Failure(`What is in ${file}? Give --from ${Object.keys(formats).join(', ')}.`, exitCodes.usage);
  return open(createReadStream(file, { highWaterMark: 256 * 1024 }), delimiter, file);
}

async function dryRun(rows: AsyncIterable<Row>, output: Output): Promise<void> {
  const counts = { ...noCounts };
  let people = 0;
  for await (const { line, found } of rows) {
    const judged = 'person' in found ? checkHash(found.person) : found;
    if ('person' in judged) people += 1;
    else {
      counts[judged.fault.status] += 1;
      output.note(`Line ${line}: ${judged.fault.reason}`);
    }
  }
  if (counts.skipped + counts.invalid > 0) process.exitCode = exitCodes.no;
  const { skipped, invalid } = counts;
  output.answer(
    { people, skipped, invalid },
    `${people} ${people === 1 ? 'person' : 'people'} can be sent, ${skipped} skipped, ${invalid} invalid. Nothing was sent.`,
  );
}
