/** The ID token of a GitHub job. */
import { ask } from './ask.ts';
import { exitCodes, Failure } from './failure.ts';

const longest = 16_384;

export function isIdToken(text: unknown): text is string {
  return typeof text === 'string' && text.length <= longest && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

/** A new one for each request, from the address that GitHub gave the job, as it stands there. */
export async function requestIdToken(address: string, ticket: string, audience: string): Promise<string> {
  if (!URL.canParse(address)) throw new Failure('ACTIONS_ID_TOKEN_REQUEST_URL is not an address.', exitCodes.usage);
  const url = new URL(address);
  url.searchParams.set('audience', audience);
  const headers = { accept: 'application/json', authorization: `Bearer ${ticket}` };
  const { status, body } = await ask(url, { headers }, 'The address of ACTIONS_ID_TOKEN_REQUEST_URL');
  if (status === 200 && isIdToken(body['value'])) return body['value'];
  throw new Failure(
    `GitHub gave no ID token (${status}). The job needs \`permissions: { id-token: write }\`; a step that runs long after it got its variables needs new ones.`,
    exitCodes.signedOut,
  );
}
