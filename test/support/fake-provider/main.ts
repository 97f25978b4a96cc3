/** The fake provider as a process: for `npm start -- --with-fake-provider`. */
import { startFakeProvider } from './provider.ts';

const { CODEHOST_CLIENT_ID: clientId, CODEHOST_CLIENT_SECRET: clientSecret, HOST: host = '127.0.0.1', PORT: port = '0' } = process.env;
if (clientId === undefined || clientSecret === undefined) throw new Error('CODEHOST_CLIENT_ID and CODEHOST_CLIENT_SECRET are missing');

const provider = await startFakeProvider({ clientId, clientSecret, host, port: Number(port) });
console.log(JSON.stringify({ msg: 'ready', url: provider.url }));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void provider.stop());
