export { answerErrors } from './answers.ts';
export { bindRest } from './bind.ts';
export { CLIENT_ADDRESS_HEADER, effectsOn, factsOf, one, REQUEST_ID_HEADER } from './facts.ts';
export { acceptJsonOnly } from './json.ts';
export type { ProtocolRoute } from './protocol-route.ts';
export { readQuery } from './query.ts';
