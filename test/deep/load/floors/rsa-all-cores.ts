/** The floor of signing: RS256 with a 2048-bit key in libuv's pool, one thread per core. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { availableParallelism } from 'node:os';

const seconds = Number(process.env.SECONDS);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const payload = Buffer.alloc(500, 'a');
const startedAt = performance.now();
let done = 0;
async function loop() {
  while (performance.now() - startedAt < seconds * 1_000) {
    await new Promise<void>((resolve, reject) =>
      sign('RSA-SHA256', payload, privateKey, (error) => (error === null ? resolve() : reject(error))),
    );
    done += 1;
  }
}
await Promise.all(Array.from({ length: 4 * availableParallelism() }, loop));
console.log(done / ((performance.now() - startedAt) / 1_000));
