import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const bytesPerId = 16;
const drawn = Buffer.alloc(256 * bytesPerId);
let used = drawn.length;

/**
 * Reads random bytes for 256 ids at once; one system call per id costs five times the id itself.
 */
function randomBytes(): Buffer {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += bytesPerId;
  return drawn.subarray(used - bytesPerId, used);
}

let lastMs = 0;
let sequence = 0;

/**
 * A new entity id: UUID v7, lower case, increasing within a process. Time order keeps index inserts
 * local.
 */
export function newId(): string {
  const random = randomBytes();
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // Half of the range stays free for further ids in the same millisecond (RFC 9562 section 6.2).
    sequence = random.readUInt32BE(0) >>> 1;
  } else sequence += 1;
  return v7({ random, msecs: lastMs, seq: sequence });
}

/** RFC 9562: versions 1 to 8 of its own variant, and the nil and max UUIDs. */
const LOWER_CASE_UUID =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}(?:-0{4}){3}-0{12}|f{8}(?:-f{4}){3}-f{12})$/;

/** True for a UUID of any version in lower case. */
export function isId(text: string): boolean {
  return LOWER_CASE_UUID.test(text);
}
