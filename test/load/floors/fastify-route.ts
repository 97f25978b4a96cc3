/** The floor under any HTTP answer: a bare Fastify route with a small JSON body. */
import Fastify from 'fastify';

const app = Fastify();
const answer = { success: true, data: { authorized: true, reason: 'PERMISSION_GRANTED_NO_CONDITION' } };
app.get('/static', async () => answer);
app.post('/json', async () => answer);
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('SIGTERM', () => process.exit(0));
