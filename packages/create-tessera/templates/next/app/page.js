import { tessera } from '../lib/tessera.js';

export default async function Start() {
  const session = await tessera.auth();
  return (
    <main>
      <h1>Notes</h1>
      {session === undefined ? <a href="/auth/sign-in?returnTo=/notes">Sign in</a> : <a href="/notes">Your notes</a>}
    </main>
  );
}
