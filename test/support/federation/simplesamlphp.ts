/** Debian's SimpleSAMLphp as an identity provider (SAML 2.0), in PHP's own web server. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { choosePort } from '../../../tools/stack/ports.ts';
import { hasFiles, lacking } from './debian.ts';
import { openFolder, startProgram } from './program.ts';

const home = '/usr/share/simplesamlphp';
const hasDom = () => spawnSync('php', ['-r', 'exit(class_exists("DOMDocument") ? 0 : 1);']).status === 0;
export const withoutSimplesamlphp = () =>
  lacking('SimpleSAMLphp', () => hasFiles(`${home}/www/module.php`, '/usr/bin/php') && hasDom(), [
    'simplesamlphp',
    'php-cli',
    'php-xml',
    'php-mbstring',
    'openssl',
  ]);

/** What a SimpleSAMLphp administrator writes down of one application. */
export type SamlApp = {
  readonly spEntityId: string;
  readonly acsUrl: string;
  /** Options of saml20-sp-remote, as PHP. */
  readonly more?: string;
};

export type SamlPerson = {
  readonly login: string;
  readonly password: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
};

const list = (values: readonly string[]) => `[${values.map((value) => `'${value}'`).join(', ')}]`;

/** On 127.0.0.1: another site than Tessera's localhost, as far as cookies go. */
export async function startSimplesamlphp(cleanup: AsyncDisposableStack, people: readonly SamlPerson[]) {
  const folder = openFolder(cleanup, 'simplesamlphp');
  const port = await choosePort(0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}`;
  for (const name of ['config', 'metadata', 'cert', 'log', 'data', 'sessions']) mkdirSync(join(folder, name));
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=idp'];
  execFileSync('openssl', [...made, '-keyout', join(folder, 'cert/idp.pem'), '-out', join(folder, 'cert/idp.crt')], { stdio: 'ignore' });
  const write = (name: string, variable: string, body: string) => writeFileSync(join(folder, name), `<?php\n${variable}${body}\n`);

  write(
    'config/config.php',
    '$config = ',
    `[
  'baseurlpath' => '${url}/',
  'certdir' => '${folder}/cert/', 'loggingdir' => '${folder}/log/', 'datadir' => '${folder}/data/',
  'tempdir' => '${folder}/data', 'metadatadir' => '${folder}/metadata/', 'attributenamemapdir' => '/etc/simplesamlphp/attributemap/',
  'secretsalt' => 'a salt of the tests', 'auth.adminpassword' => 'a password of the tests', 'timezone' => 'UTC',
  'logging.handler' => 'file', 'enable.saml20-idp' => true, 'module.enable' => ['exampleauth' => true],
  'store.type' => 'phpsession', 'session.phpsession.savepath' => '${folder}/sessions', 'session.cookie.secure' => false,
  'metadata.sources' => [['type' => 'flatfile']],
];`,
  );
  const accounts = people.map(({ login, password, attributes }) => {
    const all = Object.entries({ uid: [login], ...attributes }).map(([name, values]) => `'${name}' => ${list(values)}`);
    return `'${login}:${password}' => [${all.join(', ')}]`;
  });
  write('config/authsources.php', '$config = ', `['people' => ['exampleauth:UserPass', ${accounts.join(', ')}]];`);
  write(
    'metadata/saml20-idp-hosted.php',
    `$metadata['${url}/idp'] = `,
    `['host' => '__DEFAULT__', 'privatekey' => 'idp.pem', 'certificate' => 'idp.crt', 'auth' => 'people', 'userid.attribute' => 'uid'];`,
  );

  /** The applications that it knows. The first ones are forgotten. */
  function register(apps: readonly SamlApp[]): void {
    const persistent = `'authproc' => [1 => ['class' => 'saml:PersistentNameID', 'attribute' => 'uid']]`;
    const format = `'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'`;
    const entries = apps.map(
      ({ spEntityId, acsUrl, more = `${format}, ${persistent}` }) =>
        `$metadata['${spEntityId}'] = ['AssertionConsumerService' => '${acsUrl}', ${more}];`,
    );
    write('metadata/saml20-sp-remote.php', '', entries.join('\n'));
  }

  register([]);
  const metadataUrl = `${url}/saml2/idp/metadata.php`;
  await startProgram(cleanup, {
    command: ['php', '-d', 'opcache.enable=0', '-S', `127.0.0.1:${port}`, '-t', `${home}/www`],
    folder,
    env: { SIMPLESAMLPHP_CONFIG_DIR: join(folder, 'config') },
    probe: metadataUrl,
  });
  return {
    url,
    register,
    metadata: async () => (await fetch(metadataUrl)).text(),
    /** Where it begins a sign-in by itself. */
    startUrl: ({ spEntityId }: SamlApp) => `${url}/saml2/idp/SSOService.php?spentityid=${encodeURIComponent(spEntityId)}`,
  };
}
