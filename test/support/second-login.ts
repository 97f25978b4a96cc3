import { withClient } from '../../tools/postgres/bootstrap.ts';

type Login = { readonly adminUrl: string; readonly url: string; readonly password: string };

/**
 * Step 1 of docs/rotation.md: a second login that works as the first one's role. Returns its URL.
 */
export async function makeSecondLogin({ adminUrl, url, password }: Login): Promise<string> {
  const own = new URL(url);
  const first = own.username;
  const second = `${first}_b`;
  await withClient(adminUrl, async (client) => {
    await client.query(`CREATE ROLE ${second} LOGIN PASSWORD ${client.escapeLiteral(password)} IN ROLE ${first}`);
    await client.query(`ALTER ROLE ${second} SET role TO ${first}`);
  });
  own.username = second;
  own.password = encodeURIComponent(password);
  return own.href;
}

/** Step 3: the old password ends. */
export async function endPassword(adminUrl: string, url: string): Promise<void> {
  await withClient(adminUrl, (client) => client.query(`ALTER ROLE ${new URL(url).username} PASSWORD NULL`));
}
