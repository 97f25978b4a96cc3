import { failures } from '@tessera/kernel/errors';
import { parse } from 'secure-json-parse';

/** The body of a GraphQL request: one operation, no batches. */
export type GraphqlRequest = {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
};

const known = new Set(['query', 'variables', 'operationName', 'extensions']);

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same from a query string (GraphQL over HTTP). Undefined without a document. */
export function readGraphqlQuery(given: unknown): GraphqlRequest | undefined {
  if (!isRecord(given) || given.query === undefined) return undefined;
  const { query, variables, operationName } = given;
  const isOnce = [query, variables, operationName].every((value) => value === undefined || typeof value === 'string');
  if (!isOnce) throw refused('Send query, variables and operationName once.');
  const body = { query, operationName, variables: typeof variables === 'string' ? parsed(Buffer.from(variables)) : undefined };
  return readGraphqlRequest(Buffer.from(JSON.stringify(body)));
}

function refused(reason: string) {
  return failures.badInput({ extensions: { reason } });
}

export function readGraphqlRequest(bytes: Buffer): GraphqlRequest {
  const body = parsed(bytes);
  if (Array.isArray(body)) throw refused('Send one operation at a time.');
  if (!isRecord(body)) throw refused('Send { query, variables, operationName }.');
  const unknown = Object.keys(body).find((name) => !known.has(name));
  if (unknown !== undefined) throw refused('Send { query, variables, operationName } and nothing else.');
  const { query, variables, operationName } = body;
  if (typeof query !== 'string' || query.trim() === '') throw refused('query is the text of a document.');
  if (variables !== undefined && variables !== null && !isRecord(variables)) throw refused('variables is an object.');
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') throw refused('operationName is a text.');
  if (bytes.length > 2 * deepestVariables && isDeeper(variables, deepestVariables)) throw refused('variables are nested too deeply.');
  if (holdsInexact(variables)) throw refused('A number in variables is beyond 2^53 − 1.');
  return { query, variables: variables ?? {}, operationName: operationName ?? undefined };
}

/**
 * The services accept 32 levels and name the field. Thousands would overflow the stack when we
 * write them again.
 */
const deepestVariables = 100;

/** The services would get what JSON makes of it: another integer, or null for what overflows. */
function holdsInexact(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsInexact);
}

function isDeeper(value: unknown, most: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** Like the services, refuses JSON with a key that could reach a prototype. */
function parsed(bytes: Buffer): unknown {
  try {
    return parse(bytes.toString('utf8'));
  } catch {
    throw failures.invalidJson();
  }
}
