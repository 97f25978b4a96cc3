export type { Claims, TokenScope, TokenType } from './claims.ts';
export { KeysUnavailable, type RefusalReason, TokenRefused } from './errors.ts';
export { createVerifier, type Verifier, type VerifierOptions } from './verifier.ts';
