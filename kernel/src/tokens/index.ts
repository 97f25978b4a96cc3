export {
  type ActorClaims,
  type Claims,
  credentialOf,
  type HolderType,
  holderTypeOf,
  isForAnotherApi,
  issuerOf,
  longestChain,
  type ServiceClaims,
  type SigningScope,
} from './claims.ts';
export { createKeyFinder, type FindKey, type FindKeys, type VerificationKey } from './keys.ts';
export { areWithin, isWithin, readNetwork } from './networks.ts';
export { checkProof, type ProvenRequest, proofAlgorithms, proofSeconds } from './proof.ts';
export { createRevocationSource } from './revocation-source.ts';
export { createRevocations, type Revocation, type RevocationSource, type Revocations } from './revocations.ts';
export type { SupportClaims } from './support.ts';
export { createTokenVerifier, type TokenVerifier } from './verifier.ts';
