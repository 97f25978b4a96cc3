import { runProcess } from '@tessera/kernel/lifecycle';
import { createLogger, startTracing } from '@tessera/kernel/telemetry';
import { startRbac } from './app.ts';
import { readRbacConfig } from './config.ts';

const bootLogger = createLogger({ service: 'rbac', level: 'info' });

await runProcess(async () => {
  const config = readRbacConfig(process.env);
  const tracing = await startTracing({ service: 'rbac', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  const rbac = await startRbac(config, createLogger({ service: 'rbac', level: config.LOG_LEVEL }));
  return {
    async stop() {
      await rbac.stop();
      await tracing.stop();
    },
  };
}, bootLogger);
