import type { Command } from 'commander';
import { type Globals, openContext, parseScope, profileName, safeUrlOf, urlOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { counted, createOutput, oneLine } from '../output.ts';
import { alone, readProfile, writeProfile } from '../profiles.ts';
import { discover, signInByDevice, signInByLoopback, signOut } from '../sign-in.ts';

export function addSession(program: Command): void {
  program
    .command('login')
    .description('sign in: by a code on any device, or with --loopback in a browser of this machine')
    .option('--loopback', 'let a browser of this machine come back by itself')
    .action(async (options: { loopback?: boolean }, command: Command) => {
      const globals = command.optsWithGlobals<Globals>();
      const output = createOutput(globals.json === true);
      const url = safeUrlOf(globals);
      const config = await discover(url);
      const tokens = options.loopback
        ? await signInByLoopback(config, (address) => output.note(`Open ${address}`))
        : await signInByDevice(config, (address, code) => output.note(`Open ${address}\nand confirm the code ${code}`));
      const name = profileName(globals);
      const { scope } = readProfile(name) ?? {};
      await alone(async () => writeProfile(name, { url, ...(scope === undefined ? {} : { scope }), tokens }));
      const { client } = openContext({ ...globals, url });
      const me = await client.getMe();
      output.answer({ profile: name, url, email: me.email }, `Signed in at ${url} as ${oneLine(me.email ?? me.user.name)}.`);
    });

  program
    .command('logout')
    .description('end the session, here and on the server')
    .action(async (_: object, command: Command) => {
      const globals = command.optsWithGlobals<Globals>();
      const output = createOutput(globals.json === true);
      const name = profileName(globals);
      const profile = readProfile(name);
      if (profile?.tokens === undefined) return output.answer({ profile: name }, 'You were not signed in.');
      const { url, tokens } = profile;
      // Forgotten here first: what fails on the server leaves no token on this machine.
      await alone(async () => writeProfile(name, undefined));
      await (async () => signOut(safeUrlOf({ url }), tokens.refreshToken))().catch((cause: unknown) => {
        throw new Failure(`Forgotten here, but ${url} did not end the session: end it in the console.`, undefined, { cause });
      });
      return output.answer({ profile: name }, 'Signed out.');
    });

  program
    .command('whoami')
    .description('who is signed in, and where')
    .action(async (_: object, command: Command) => {
      const globals = command.optsWithGlobals<Globals>();
      const { client, output, caller } = openContext(globals);
      const url = urlOf(globals);
      if (caller !== 'person') {
        const { permissions } = await client.listPermissions();
        const name = caller === 'API key' ? caller : 'Service account';
        const text = `${name} ${process.env['TESSERA_CLIENT_ID']} at ${url}, with ${counted(permissions.length, 'permission')}`;
        return output.answer({ url, clientId: process.env['TESSERA_CLIENT_ID'], permissions: permissions.length }, text);
      }
      const me = await client.getMe();
      const accounts = me.accounts.map(({ type, id }) => `\n  ${type} account:${id}`).join('');
      return output.answer(
        { url, ...me },
        `${oneLine(me.user.name)} <${oneLine(me.email ?? 'no address')}> at ${url}, ${me.acr}${accounts}`,
      );
    });

  program
    .command('use')
    .description('the scope of later commands of this profile')
    .argument('<scope>', 'organization:<id>, organizationProject:<organization>:<project>, account:…')
    .action(async (scope: string, _: object, command: Command) => {
      const globals = command.optsWithGlobals<Globals>();
      parseScope(scope);
      const name = profileName(globals);
      await alone(async () => {
        const profile = readProfile(name);
        if (profile === undefined) throw new Failure('Sign in first: `tessera login`.');
        writeProfile(name, { ...profile, scope });
      });
      createOutput(globals.json === true).answer({ profile: name, scope }, `Profile ${name} uses ${scope}.`);
    });
}
