import { createServiceLogger, runProcess } from '@tessera/server/lifecycle';
import { startTenancy } from './app.ts';
import { readTenancyConfig } from './config.ts';
import { operations } from './operations/index.ts';

await runProcess(async () => startTenancy(readTenancyConfig(process.env)), createServiceLogger('tenancy', operations));
