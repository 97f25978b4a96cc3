import { createServiceLogger, runProcess } from '@tessera/kernel/lifecycle';
import { startKeys } from './app.ts';
import { readKeysConfig } from './config.ts';
import { operations } from './operations/index.ts';
import { makeSigningPolite } from './signing/politeness.ts';

async function start() {
  const config = readKeysConfig(process.env);
  await makeSigningPolite();
  return startKeys(config);
}

await runProcess(start, createServiceLogger('keys', operations));
