import { createServiceLogger, runProcess } from '@tessera/server/lifecycle';
import { startIdentity } from './app.ts';
import { readIdentityConfig } from './config.ts';
import { operations } from './operations/index.ts';

await runProcess(async () => startIdentity(readIdentityConfig(process.env)), createServiceLogger('identity', operations));
