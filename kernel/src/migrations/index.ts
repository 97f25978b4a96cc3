export { type MigrateOptions, migrate } from './migrate.ts';
export { schemaDifferences } from './schema-differences.ts';
