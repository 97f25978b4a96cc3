export { CONSISTENCY_TOKEN_HEADER, joinConsistencyTokens, momentToken } from './consistency.ts';
export {
  type Authorizer,
  type Check,
  type CheckOptions,
  type Decision,
  linkedByProvider,
  type Subject,
  secondFactorOfProvider,
  subjectOf,
} from './decisions.ts';
export { createRemoteAuthorizer, subjectToWire } from './remote.ts';
