#!/usr/bin/env node
import { TesseraError } from '@tessera/client';
import { arrange } from './arrange.ts';
import { Refusal, readWish, usage } from './wish.ts';
import { assertEmpty, writeProject } from './write.ts';

try {
  const wish = await readWish(process.argv.slice(2), process.env);
  if (wish === undefined) process.stdout.write(usage);
  else {
    assertEmpty(wish.folder);
    const arranged = await arrange(wish);
    writeProject(wish, arranged);
    process.stdout.write(
      `Made ${wish.folder}, and in Tessera the project ${wish.name} with the roles Reader and Writer.\n\n` +
        `  cd ${wish.folder}\n  npm install\n  npm run dev\n\nThen open http://localhost:${wish.port}, and sign in.\n`,
    );
  }
} catch (error) {
  if (!(error instanceof Refusal || error instanceof TesseraError)) throw error;
  const more = error instanceof TesseraError && error.status === 401 ? ' TESSERA_TOKEN has expired, or is of another installation.' : '';
  process.stderr.write(`create-tessera: ${error.message}${more}\n`);
  process.exitCode = 1;
}
