import { issuerOf } from '@tessera/kernel/tokens';
import type { ScopeValue } from './client.ts';
import { dataOf, type Person } from './world.ts';

/** A machine app of its maker, and its tokens. */
export function makeRobot(url: string, maker: Person, project: ScopeValue, roleId: string) {
  return createRobot(url, maker, project, { scope: project, name: 'Robot', type: 'machine', roleId });
}

/** The same, with the fields that the test says. */
export async function createRobot(url: string, maker: Person, project: ScopeValue, fields: object) {
  const { id, clientId, clientSecret } = dataOf(await maker.client.post('/api/project-apps', fields, maker.token));
  const credentials = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const exchange = () =>
    fetch(`${issuerOf(url, project)}/oauth/token`, {
      method: 'POST',
      headers: { authorization: credentials },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
  return { id: String(id), token: await tokenOf(await exchange()), credentials, exchange };
}

/** The access token of an answer; an empty text when there is none. */
export async function tokenOf(response: Response): Promise<string> {
  const answer = await response.json();
  return typeof answer === 'object' && answer !== null && 'access_token' in answer ? String(answer.access_token) : '';
}
