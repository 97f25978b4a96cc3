/** Runs the scripts that it is given, beside each other: `node migrations.ts <migrate.ts …>`. */
import { pathToFileURL } from 'node:url';

const outcomes = await Promise.allSettled(process.argv.slice(2).map((script) => import(pathToFileURL(script).href)));
for (const [place, outcome] of outcomes.entries()) {
  if (outcome.status === 'fulfilled') continue;
  console.error(process.argv[2 + place], outcome.reason);
  process.exitCode = 1;
}
