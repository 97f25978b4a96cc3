import { readFileSync } from 'node:fs';
import { runProcess } from '@tessera/kernel/lifecycle';
import pino from 'pino';
import { createGateway } from './app.ts';
import { readGatewayConfig } from './config.ts';

/** Composed and committed by `npm run generate`. */
const supergraph = new URL('../supergraph.graphql', import.meta.url);

const logger = pino({ base: { service: 'gateway' } });

await runProcess(async () => {
  const config = readGatewayConfig(process.env);
  logger.level = config.LOG_LEVEL;
  const app = await createGateway(config, readFileSync(supergraph, 'utf8'), logger);
  await app.listen({ host: config.HOST, port: config.PORT });
  return { stop: () => app.close() };
}, logger);
