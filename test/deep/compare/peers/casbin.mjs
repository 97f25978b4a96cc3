/** Casbin behind node:http, since it is a library: POST / decides, GET / lists. */
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import { serve } from './serve.mjs';

const model = `
[request_definition]
r = sub, obj, act
[policy_definition]
p = sub, obj, act, cond
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = g(r.sub, p.sub) && r.obj.kind == p.obj && r.act == p.act && eval(p.cond)
`;
const others = JSON.parse(process.env.ACTIONS).map((action) => `p, reader, invoice, ${action}, true`);
const policy = ['p, reader, invoice, read, r.obj.amount < 1000', ...others, 'g, ada, reader'].join('\n');

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

await serve({
  open: async () => {
    const enforcer = await newEnforcer(newModelFromString(model), new StringAdapter(policy));
    const answer = async (request) => {
      if (request.method === 'GET') return { permissions: await enforcer.getImplicitPermissionsForUser('ada') };
      const { subject, resource, action } = await bodyOf(request);
      return { allowed: await enforcer.enforce(subject, resource, action) };
    };
    return (request, response) =>
      answer(request).then(
        (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
        (error) => response.writeHead(500).end(String(error)),
      );
  },
});
