/** better-auth with organizations and tokens, on Postgres; its own limits are off. */
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { jwt, organization } from 'better-auth/plugins';
import pg from 'pg';
import { serve } from './serve.mjs';

const options = {
  baseURL: process.env.URL,
  secret: process.env.SECRET,
  database: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { level: 'error' },
  // The algorithm and the size of Tessera's keys, so that both pay for the same signature.
  plugins: [organization(), jwt({ jwks: { keyPairConfig: { alg: 'RS256', modulusLength: 2048 } } })],
};

await serve({
  prepare: async () => {
    const { runMigrations } = await getMigrations(options);
    await runMigrations();
  },
  open: () => toNodeHandler(betterAuth(options)),
});
