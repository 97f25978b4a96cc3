import { runProcess } from '@tessera/kernel/lifecycle';
import { createLogger, markedFields } from '@tessera/kernel/telemetry';
import { start } from './app.ts';
import { readTenancyConfig } from './config.ts';
import { operations } from './operations/index.ts';

const bootLogger = createLogger({ service: 'tenancy', level: 'info' });

await runProcess(async () => {
  const config = readTenancyConfig(process.env);
  const secretFields = operations.flatMap(({ input }) => markedFields(input));
  return start(config, createLogger({ service: 'tenancy', level: config.LOG_LEVEL, secretFields }));
}, bootLogger);
