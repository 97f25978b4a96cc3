/**
 * What can be seen of a Tessera from outside, without a credential. `npm run doctor` looks inside:
 * at configuration, stores and the services themselves.
 */
import { checkTls } from './certificate.ts';
import { clockFinding } from './clock.ts';
import { about, type Finding, reasonOf } from './finding.ts';
import { createVisitor, jsonOf, type Visit, type Visitor } from './visit.ts';

export async function examineOutside(url: string, timeoutMs: number): Promise<readonly Finding[]> {
  const findings = await look(url, timeoutMs);
  return findings.map(({ level, check, subject, message }) => ({ level, check, subject: short(subject), message: short(message) }));
}

/** Everything at once. Without a gateway nothing else is looked at. */
async function look(url: string, timeoutMs: number): Promise<readonly Finding[]> {
  const visit = createVisitor(url, timeoutMs);
  const [tls, gateway] = await Promise.all([checkTls(url, timeoutMs), checkGateway(visit)]);
  if (gateway.some(({ level, check }) => level === 'error' && check === 'http')) return [...tls, ...gateway];
  const checks = [checkReadiness, checkDiscovery, checkKeys, checkLimits, checkDocuments, checkOrigins];
  const found = await Promise.all(checks.map((check) => guarded(check, visit, url)));
  return [...tls, ...gateway, ...found.flat()];
}

type Check = (visit: Visitor, url: string) => Promise<Finding[]>;

async function guarded(check: Check, visit: Visitor, url: string): Promise<Finding[]> {
  try {
    return await check(visit, url);
  } catch (thrown) {
    return [about('http', 'gateway').error(`one of its addresses gives no answer: ${reasonOf(thrown)}`)];
  }
}

/** What a server says is shown in part only: it may be anything. */
function short(text: string): string {
  const line = text.replace(/\p{Cc}/gu, ' ');
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

async function checkGateway(visit: Visitor): Promise<Finding[]> {
  const { ok, error } = about('http', 'gateway');
  try {
    const health = await visit('/health');
    if (health.status !== 200 || jsonOf(health)['status'] !== 'ok')
      return [error(`answers ${health.status} at /health: this is no Tessera, or something before it does not let requests through`)];
    const clock = Number.isNaN(health.reading.atMs) ? [] : [clockFinding('gateway', health.reading)];
    return [ok('answers'), ...clock, ...headerFindings(health)];
  } catch (thrown) {
    return [error(`cannot be reached: ${reasonOf(thrown)}`)];
  }
}

function headerFindings({ headers }: Visit): Finding[] {
  const { unsafe, ok } = about('headers', 'gateway');
  const missing = ['x-content-type-options', 'x-frame-options', 'content-security-policy'].filter((name) => !headers.has(name));
  if (missing.length > 0) return [unsafe(`${missing.join(', ')} is missing: a proxy takes it away`)];
  return [ok('answers have their security headers')];
}

async function checkReadiness(visit: Visitor): Promise<Finding[]> {
  const ready = await visit('/ready');
  const { checks } = jsonOf(ready);
  if (typeof checks !== 'object' || checks === null) return [about('services', 'gateway').note('/ready is not visible from here')];
  return Object.entries(checks).map(([service, state]) =>
    state === 'ok' ? about('services', service).ok('is ready') : about('services', service).error('has no replica that is ready'),
  );
}

async function checkDiscovery(visit: Visitor, url: string): Promise<Finding[]> {
  const { ok, error, unsafe } = about('openid', 'discovery');
  const answer = await visit('/.well-known/openid-configuration');
  if (answer.status !== 200) return [error(`answers ${answer.status}`)];
  const document = jsonOf(answer);
  const { issuer } = document;
  if (issuer !== url)
    return [error(`the issuer is ${String(issuer)}, and you asked ${url}: APP_URL is another address, or this one is not the public one`)];
  const elsewhere = Object.entries(document).find(
    ([name, value]) => /(_endpoint|_uri)$/.test(name) && (typeof value !== 'string' || !value.startsWith(`${url}/`)),
  );
  if (elsewhere !== undefined) return [error(`${elsewhere[0]} leads to another host`)];
  const methods = document['code_challenge_methods_supported'];
  const isStrict = Array.isArray(methods) && methods.length === 1 && methods[0] === 'S256';
  return [isStrict ? ok('issuer, addresses and PKCE are as they should be') : unsafe('other methods of PKCE than S256 are offered')];
}

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'];
const fewestModulusCharacters = 342; // 2,048 bits in base64url

async function checkKeys(visit: Visitor): Promise<Finding[]> {
  const { ok, error } = about('keys', 'jwks');
  const answer = await visit('/.well-known/jwks.json');
  const { keys } = jsonOf(answer);
  if (answer.status !== 200 || !Array.isArray(keys) || keys.length === 0)
    return [error('there is no key, so that no token can be checked')];
  const isKey = (key: unknown): key is Readonly<Record<string, unknown>> => typeof key === 'object' && key !== null;
  const faults = keys.flatMap((key: unknown) => {
    if (!isKey(key)) return ['one is no key'];
    if (privateMembers.some((name) => name in key)) return ['A PRIVATE KEY IS PUBLIC: rotate all keys at once'];
    const isGood =
      key['kty'] === 'RSA' && key['alg'] === 'RS256' && typeof key['n'] === 'string' && key['n'].length >= fewestModulusCharacters;
    return isGood && typeof key['kid'] === 'string' ? [] : ['one is not RS256 with 2,048 bits and a kid'];
  });
  if (new Set(keys.filter(isKey).map(({ kid }) => kid)).size < keys.length) faults.push('two have the same kid');
  return faults.length > 0 ? [...new Set(faults)].map((fault) => error(fault)) : [ok(`${keys.length} public keys`)];
}

async function checkLimits(visit: Visitor): Promise<Finding[]> {
  const { ok, unsafe } = about('production', 'gateway');
  const { headers } = await visit('/api/me');
  return [
    headers.has('ratelimit-policy') ? ok('requests are limited') : unsafe('requests are not limited: passwords can be tried without end'),
  ];
}

/** What only the operator should see, and what tells the version. */
async function checkDocuments(visit: Visitor): Promise<Finding[]> {
  const { ok, note, unsafe } = about('production', 'gateway');
  const [metrics, graphql, documents] = await Promise.all([
    visit('/metrics'),
    visit('/graphql', { accept: 'text/html' }),
    visit('/api-docs.json'),
  ]);
  const { info } = jsonOf(documents);
  const version = typeof info === 'object' && info !== null && 'version' in info ? String(info.version) : undefined;
  return [
    ...(metrics.status === 200 ? [unsafe('/metrics can be read from here: let the proxy answer 404 for it')] : []),
    ...(graphql.status === 200 ? [unsafe('the GraphQL IDE is shown: NODE_ENV is not production')] : []),
    version === undefined ? note('its version is not visible: API_DOCS is false') : ok(`version ${version}`),
  ];
}

async function checkOrigins(visit: Visitor): Promise<Finding[]> {
  const { ok, unsafe } = about('production', 'origins');
  const { headers } = await visit('/health', { origin: 'https://attacker.invalid' });
  const allowed = headers.get('access-control-allow-origin');
  const isOpen = allowed === '*' || allowed === 'https://attacker.invalid';
  return [isOpen ? unsafe('every origin may read answers: SECURITY_CORS_ORIGIN') : ok('an unknown origin may not read answers')];
}
