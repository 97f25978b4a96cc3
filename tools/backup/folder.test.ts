import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createEnvelope } from '@tessera/kernel/guard';
import { generateSecrets } from '../stack/secrets.ts';
import { assertInstallation, prepareFolder } from './folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'tessera-folder-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const secrets = generateSecrets();
const encryptionKeyIds = createEnvelope([Buffer.from(secrets.keysEncryptionKey, 'base64')]).keyIds;
const environment = { KEYS_ENCRYPTION_KEY: secrets.keysEncryptionKey, INTERNAL_AUTH_SECRET: secrets.internalAuthSecret };

describe('a restore into a data folder', () => {
  test('makes an empty one with the secrets of the environment, for its owner alone', () => {
    const path = join(folder, 'new', 'data');
    prepareFolder(path, { encryptionKeyIds }, environment);
    const written = JSON.parse(readFileSync(join(path, 'secrets.json'), 'utf8'));
    expect(written).toMatchObject({ keysEncryptionKey: secrets.keysEncryptionKey, internalAuthSecret: secrets.internalAuthSecret });
    expect(statSync(join(path, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  test('without secrets is refused before anything is made, and says which to bring', () => {
    const path = join(folder, 'none');
    expect(() => prepareFolder(path, { encryptionKeyIds }, {})).toThrow(
      /has no secrets\.json.*KEYS_ENCRYPTION_KEY and INTERNAL_AUTH_SECRET/,
    );
    expect(existsSync(path)).toBe(false);
  });

  test('with the secrets of another installation is refused', () => {
    const path = join(folder, 'other');
    mkdirSync(path);
    writeFileSync(join(path, 'secrets.json'), JSON.stringify(generateSecrets()));
    const [id] = encryptionKeyIds;
    expect(() => prepareFolder(path, { encryptionKeyIds }, environment)).toThrow(
      `secrets.json in ${path} is of another installation: the backup needs the KEYS_ENCRYPTION_KEY ${id}.`,
    );
  });
});

test('a backup of a folder without an installation is refused, and makes none', () => {
  const path = join(folder, 'empty');
  mkdirSync(path);
  expect(() => assertInstallation(path)).toThrow(/it has no secrets\.json and no postgres/);
  expect(existsSync(join(path, 'postgres'))).toBe(false);
});
