import { ConfigError } from '@tessera/kernel/config';
import { runProcess } from '@tessera/kernel/lifecycle';
import { createLogger, markedFields, startTracing } from '@tessera/kernel/telemetry';
import { startKeys } from './app.ts';
import { type KeysConfig, readKeysConfig } from './config.ts';
import { operations } from './operations/index.ts';

const config = configuration();
const secretFields = operations.flatMap(({ input, output }) => [...markedFields(input), ...markedFields(output)]);
const logger = createLogger({ service: 'keys', level: config.LOG_LEVEL, secretFields });

await runProcess(async () => {
  const tracing = await startTracing({ service: 'keys', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  const keys = await startKeys(config, logger);
  return {
    async stop() {
      await keys.stop();
      await tracing.stop();
    },
  };
}, logger);

function configuration(): KeysConfig {
  try {
    return readKeysConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}
