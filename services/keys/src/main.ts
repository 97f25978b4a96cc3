import { createServiceLogger, runProcess } from '@tessera/server/lifecycle';
import { startKeys } from './app.ts';
import { readKeysConfig } from './config.ts';
import { operations } from './operations/index.ts';

await runProcess(() => startKeys(readKeysConfig(process.env)), createServiceLogger('keys', operations));
