export { commonConfig, poolerRule, publicAddresses, redisRule, serviceConfig } from './common.ts';
export { type Config, ConfigError, describeConfig, group, readConfig, type Shape } from './read.ts';
export {
  choice,
  type Entry,
  type Environment,
  flag,
  integer,
  list,
  type Reader,
  secret,
  secrets,
  secretsIn,
  text,
  url,
} from './readers.ts';
export { allSettings } from './settings.generated.ts';
export type { Settings } from './unknown.ts';
