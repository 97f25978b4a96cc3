export { type Authorizer, type Check, type CheckOptions, type Decision, type Subject, subjectOf } from './decisions.ts';
export { createRemoteAuthorizer } from './remote.ts';
