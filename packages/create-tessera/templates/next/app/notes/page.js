import { tessera } from '../../lib/tessera.js';

export default async function Notes() {
  const { user, organization, scopes } = await tessera.requireSession('/notes');
  return (
    <main>
      <h1>Hello {user.name}</h1>
      {organization && <p>You work for {organization.slug}.</p>}
      <p>You may {scopes.includes('note:write') ? 'read and write' : 'read'} notes.</p>
      <form action="/auth/organization" method="post">
        <button type="submit">Another organization</button>
      </form>
      <form action="/auth/sign-out" method="post">
        <button type="submit">Sign out</button>
      </form>
    </main>
  );
}
