// Requests to Tessera's API: as the person, or as the product's own machine.
const { TESSERA_URL, ORGANIZATION, PROJECT, MACHINE_ID, MACHINE_SECRET } = process.env;

/** What Tessera refuses, in words for the person. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function ask(token, method, path, body) {
  const answer = await fetch(`${TESSERA_URL}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const { data, error } = await answer.json();
  if (!answer.ok) throw new Refused(answer.status, error.message ?? error);
  return data;
}

let machine;
async function machineToken() {
  if (machine === undefined || machine.until < Date.now()) {
    const answer = await fetch(`${TESSERA_URL}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${MACHINE_ID}:${MACHINE_SECRET}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    if (!answer.ok) throw new Error(`no token for the machine: ${answer.status}`);
    const { access_token: token, expires_in: seconds } = await answer.json();
    machine = { token, until: Date.now() + (seconds - 30) * 1_000 };
  }
  return machine.token;
}

/** Organization, grant and the Owner's invitation, once for each `id`. docs/guides/sign-up-form.md keeps the id over a crash. */
export async function makeCustomer({ id, company, email }) {
  const body = { name: company, owner: { email }, projectId: PROJECT, externalId: id };
  return ask(await machineToken(), 'POST', `/organizations/${ORGANIZATION}/customers`, body);
}

/** The place of a customer in the product: its organization, and our project. */
export function scopeOf(customer) {
  return { tenant: 'organizationProject', id: `${customer}:${PROJECT}` };
}

const inQuery = ({ tenant, id }) => `tenant=${tenant}&scopeId=${id}`;

/** The members of the customer, with their roles in the product. */
export async function peopleOf({ token, customer }) {
  const { items } = await ask(token, 'GET', `/users?${inQuery(scopeOf(customer))}&relations=roles&limit=100`);
  return items;
}

/** The roles that the customer may give. */
export async function rolesOf({ token, customer }) {
  const { items } = await ask(token, 'GET', `/roles?${inQuery(scopeOf(customer))}&limit=100`);
  return items.filter(({ isBuiltIn }) => !isBuiltIn);
}

export function giveRole({ token, customer }, userId, roleId) {
  return ask(token, 'PATCH', `/users/${userId}`, { scope: scopeOf(customer), roleIds: roleId === '' ? [] : [roleId] });
}

export async function keysOf({ token, customer }) {
  const { items } = await ask(token, 'GET', `/api-keys?${inQuery(scopeOf(customer))}&relations=role&limit=100`);
  return items;
}

/** Whether the bearer of the token may do this where the token acts. */
export async function mayDo(token, resource, action) {
  return (await ask(token, 'POST', '/auth/is-authorized', { permission: { resource, action } })).authorized;
}
