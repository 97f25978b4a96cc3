import { createRequire } from 'node:module';
import { Command } from 'commander';
import { addAccess } from './commands/access.ts';
import { addCompletion } from './commands/completion.ts';
import { addDoctor } from './commands/doctor.ts';
import { addGrants } from './commands/grants.ts';
import { addImport } from './commands/import.ts';
import { addImportTenant } from './commands/import-tenant.ts';
import { addLists } from './commands/lists.ts';
import { addManifest } from './commands/manifest.ts';
import { addSession } from './commands/session.ts';
import { addTypes } from './commands/types.ts';
import { errorLine } from './failure.ts';

const environment = `
Environment:
  TESSERA_URL                                the address, in place of --url
  TESSERA_SCOPE                              the tenant, in place of --scope
  TESSERA_TOKEN                              an access token, in place of a sign-in
  TESSERA_CLIENT_ID, TESSERA_CLIENT_SECRET   an API key or a service account, in place of a sign-in
  TESSERA_ID_TOKEN                           in place of the secret: what the job's platform says of it; on GitHub Actions not needed
  TESSERA_AUDIENCE                           for whom GitHub makes its ID tokens; the address, when left out
  TESSERA_PROFILE                            in place of --profile
  TESSERA_ALLOW_HTTP=true                    passwords and tokens may travel unencrypted to other machines
  NO_COLOR                                   no colours

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not signed in, 4 done, and the answer is no: a plan has changes, a
file is not up to date, people were left out, or a setting is unsafe; 130 interrupted.`;

/** The whole command line. For wrong arguments it says what is wrong and throws CommanderError. */
export function createProgram(isJson = false): Command {
  const program = new Command('tessera')
    .description('Tessera from the command line')
    .version(String(createRequire(import.meta.url)('../package.json').version), '--version', 'the version of this command')
    .option('--url <address>', 'where Tessera is')
    .option('--scope <scope>', 'organization:<id>, organizationProject:<organization>:<project>, account:…')
    .option('--profile <name>', 'which sign-in to use')
    .option('--json', 'answers as JSON')
    .addHelpText('after', environment)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(isJson ? errorLine('CLI', text.replace(/^error: /, '').trim()) : text) })
    .configureHelp({ showGlobalOptions: true });
  addSession(program);
  addLists(program);
  addGrants(program);
  addAccess(program);
  addManifest(program);
  addTypes(program);
  addImport(program);
  addImportTenant(program);
  addDoctor(program);
  addCompletion(program);
  return program;
}
