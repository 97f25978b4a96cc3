import { createServiceLogger, runProcess } from '@tessera/server/lifecycle';
import { startRbac } from './app.ts';
import { readRbacConfig } from './config.ts';
import { operations } from './operations/index.ts';

await runProcess(async () => startRbac(readRbacConfig(process.env)), createServiceLogger('rbac', operations));
