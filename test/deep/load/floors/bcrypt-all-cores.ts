/** The floor of a login: bcrypt alone, one thread per core, at the product's priority. */
import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import { lowerPriority } from '../../../../services/identity/src/people/passwords/lower-priority.ts';

lowerPriority();
const seconds = Number(process.env.SECONDS);
const hash = await bcrypt.hash('a password of usual length', Number(process.env.ROUNDS ?? 10));
// As logins are counted: neither how it begins nor how it ends.
const from = performance.now() + Number(process.env.LEAD_SECONDS) * 1_000;
const until = from + seconds * 1_000;
let done = 0;
async function loop() {
  for (let now = 0; now < until; ) {
    await bcrypt.compare('another password of that length', hash);
    now = performance.now();
    if (now >= from && now < until) done += 1;
  }
}
await Promise.all(Array.from({ length: 2 * availableParallelism() }, loop));
console.log(done / seconds);
