// Registers, signs in and looks around: node journey.mjs http://localhost:3000
import { createClient, TesseraError } from '@tessera/client';

const tessera = createClient({ baseUrl: process.argv[2] ?? 'http://localhost:3000' });
const email = `ada-${Date.now()}@example.com`;
const credentials = { provider: 'email', providerId: email, providerData: { password: 'Correct-Horse-42' } };

await tessera.register({ name: 'Ada', ...credentials });
const { user, accounts } = await tessera.getMe();
console.log(`Hello ${user.name}, you have ${accounts.length} account.`);

for await (const session of tessera.listMySessions()) console.log(`Signed in since ${session.createdAt}`);

const { me } = await tessera.graphql('query { me { email isVerified } }');
console.log(`GraphQL knows ${me.email === email ? 'the same address' : 'another address'}.`);

try {
  await tessera.register({ ...credentials });
} catch (error) {
  if (!(error instanceof TesseraError)) throw error;
  console.log(`${error.code}: ${error.message}`);
}

await tessera.signOut();
console.log(`Now ${tessera.session.state}.`);
