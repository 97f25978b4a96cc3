import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';
import { parseDockerfile } from './dockerfile.ts';
import type { Account } from './files.ts';

/** The account that deploy/Dockerfile names last. */
export function accountOfImage(): Account {
  const stage = parseDockerfile(readFileSync(join(repositoryFolder, 'deploy', 'Dockerfile'), 'utf8')).at(-1);
  const user = stage?.instructions.findLast((instruction) => instruction.kind === 'USER')?.user ?? '';
  const [uid, gid] = user.split(':').map(Number);
  if (uid === undefined || gid === undefined || !Number.isInteger(uid) || !Number.isInteger(gid))
    throw new Error(`deploy/Dockerfile has no USER of two numbers, but “${user}”`);
  return { uid, gid };
}

export function exceptionsOfImage(): unknown {
  return JSON.parse(readFileSync(join(repositoryFolder, 'deploy', 'scan-exceptions.json'), 'utf8'));
}
