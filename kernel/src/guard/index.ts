export { boundedFetch } from './bounded-fetch.ts';
export { createEnvelope, type Envelope, type Sealed } from './envelope.ts';
export {
  assertReachable,
  createGuardedAgent,
  createGuardedFetch,
  type GuardedFetch,
  type Lookup,
  PrivateAddress,
} from './guarded-fetch.ts';
