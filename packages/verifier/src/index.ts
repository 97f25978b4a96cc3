export { type Actor, type Claims, type Subject, subjectOf, type TokenScope, type TokenType } from './claims.ts';
export { IntrospectionUnavailable, KeysUnavailable, type RefusalReason, TokenRefused } from './errors.ts';
export type { IntrospectionOptions } from './introspection.ts';
export type { Dpop, ProofMemory } from './proof.ts';
export { createVerifier, type Verifier, type VerifierOptions, type VerifyOptions } from './verifier.ts';
