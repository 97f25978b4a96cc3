import { expect, test } from '@jest/globals';
import { readManifest } from './schema.ts';

test('what is wrong in a manifest says which key, and which values there are', () => {
  const wrong = `version: 2
rolls: []
roles:
  - { nmae: Accountant }
apps:
  - { name: Books, type: wbe }
`;
  expect(() => readManifest(wrong, 'tessera.yaml')).toThrow(
    [
      'tessera.yaml is no manifest (see `tessera schema`):',
      '  the document has an unknown key: rolls',
      '  version must be 1',
      '  roles.0 lacks name',
      '  roles.0 has an unknown key: nmae',
      '  apps.0.type must be one of web, spa, native, machine',
    ].join('\n'),
  );
});

test('a name is as long as the server takes it, and an address longer', () => {
  const roles = (name: string) => `version: 1\nroles:\n  - { name: "${name}" }\n`;
  for (const name of ['x'.repeat(255), 'क्षि'.repeat(85)]) expect(() => readManifest(roles(name), 'tessera.yaml')).not.toThrow();
  for (const name of ['x'.repeat(256), 'é'.repeat(256)])
    expect(() => readManifest(roles(name), 'tessera.yaml')).toThrow('roles.0.name must not have more than 255 characters');
  const app = `version: 1\napps:\n  - { name: Books, type: web, redirectUris: ["https://books.example/${'x'.repeat(300)}"] }\n`;
  expect(() => readManifest(app, 'tessera.yaml')).not.toThrow();
});
