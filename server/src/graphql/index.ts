export { bindGraphql } from './bind.ts';
export { MOST_RESPONSE_BYTES, MOST_ROWS, ROWS_HEADER } from './budget.ts';
export { type EntityLoader, type FieldResolver, type GraphqlContext, relationField } from './context.ts';
export { buildSubgraph, readSdl, type Subgraph, sharedSdl } from './schema.ts';
