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
