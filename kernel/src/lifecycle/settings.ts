import type { Config, serviceConfig } from '../config/index.ts';

/** The part of a service's configuration that the kernel uses. */
export type ServiceSettings = Omit<Config<ReturnType<typeof serviceConfig>>, 'CACHE_STRATEGY' | 'REDIS_URL' | 'DATA_DIR'>;
