import { runProcess, startService } from '@tessera/kernel/lifecycle';
import { createLogger } from '@tessera/kernel/telemetry';
import { compose } from './app.ts';
import { readIdentityConfig } from './config.ts';

await runProcess(
  async () => {
    const config = readIdentityConfig(process.env);
    return startService(config, { name: 'identity', pivots: [], compose: (kernel) => compose(config, kernel) });
  },
  createLogger({ service: 'identity', level: 'info' }),
);
