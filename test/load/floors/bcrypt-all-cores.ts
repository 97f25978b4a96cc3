/** The floor under a login: bcrypt alone in libuv's pool, one thread a core, at the priority that the product gives it. */
import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import { stepBack } from '../../../services/identity/src/passwords/step-back.ts';

stepBack();
const seconds = Number(process.env.SECONDS);
const hash = await bcrypt.hash('a password of usual length', Number(process.env.ROUNDS ?? 10));
const startedAt = performance.now();
let done = 0;
const loop = async () => {
  while (performance.now() - startedAt < seconds * 1_000) {
    await bcrypt.compare('another password of that length', hash);
    done += 1;
  }
};
await Promise.all(Array.from({ length: 2 * availableParallelism() }, loop));
console.log(done / ((performance.now() - startedAt) / 1_000));
