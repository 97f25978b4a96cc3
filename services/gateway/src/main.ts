import { runProcess } from '@tessera/kernel/lifecycle';
import pino from 'pino';
import { createGateway } from './app.ts';
import { readGatewayConfig } from './config.ts';

const logger = pino({ base: { service: 'gateway' } });

await runProcess(async () => {
  const config = readGatewayConfig(process.env);
  logger.level = config.LOG_LEVEL;
  const app = await createGateway(config, logger);
  await app.listen({ host: config.HOST, port: config.PORT });
  return { stop: () => app.close() };
}, logger);
