import { runProcess } from '@tessera/kernel/lifecycle';
import { createLogger } from '@tessera/kernel/telemetry';
import { startRbac } from './app.ts';
import { readRbacConfig } from './config.ts';

const logger = createLogger({ service: 'rbac', level: process.env.LOG_LEVEL ?? 'info' });

await runProcess(() => startRbac(readRbacConfig(process.env), logger), logger);
