import { readFileSync } from 'node:fs';
import { ConfigError } from '@tessera/kernel/config';
import { createLogger, startTracing } from '@tessera/kernel/telemetry';
import { runProcess } from '@tessera/server/lifecycle';
import { createGateway } from './app.ts';
import { type GatewayConfig, readGatewayConfig } from './config.ts';
import { createLineWriter } from './edge/line-writer.ts';

/** Composed and committed by `npm run generate`. */
const supergraph = new URL('../generated/supergraph.graphql', import.meta.url);

const config = configuration();
const logger = createLogger({ service: 'gateway', level: config.LOG_LEVEL });

await runProcess(async () => {
  const tracing = await startTracing({ service: 'gateway', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  const access = createLineWriter();
  const app = await createGateway(config, readFileSync(supergraph, 'utf8'), logger, access.write);
  await app.listen({ host: config.HOST, port: config.PORT });
  return {
    async stop() {
      await app.close();
      access.stop();
      await tracing.stop();
    },
  };
}, logger);

function configuration(): GatewayConfig {
  try {
    return readGatewayConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}
