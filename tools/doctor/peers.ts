import { randomUUID } from 'node:crypto';
import { connect, createCredentialIssuer, credentialHeader, type GrpcTls } from '@tessera/kernel/grpc';
import { doorPath } from '@tessera/server/lifecycle';
import { Agent, request } from 'undici';
import { clockFinding } from '../../packages/cli/src/doctor/clock.ts';
import { about, type Finding, reasonOf, within } from '../../packages/cli/src/doctor/finding.ts';
import type { DatabaseService } from '../services.ts';

interface Asking {
  readonly self: string;
  readonly secret: string;
  readonly timeoutMs: number;
}

/** Asks a replica of a service: does it run, is it ready, in time, and does it know our secret. */
export async function checkHttp(peer: DatabaseService, url: string, { self, secret, timeoutMs }: Asking): Promise<Finding[]> {
  const { ok, note, error } = about('http', peer);
  const isSocket = url.startsWith('unix:');
  const dispatcher = new Agent({
    connect: { timeout: timeoutMs, ...(isSocket ? { socketPath: url.slice('unix:'.length) } : {}) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const askedMs = Date.now();
    const { statusCode, headers: answered, body } = await request(`${isSocket ? 'http://localhost' : url}${path}`, { dispatcher, headers });
    const atMs = Date.parse(String(answered['date']));
    return { statusCode, text: await body.text(), reading: { atMs, askedMs, answeredMs: Date.now(), resolutionMs: 1_000 } };
  };
  try {
    const health = await get('/health');
    const ready = await get('/ready');
    // No route has this path, so a known credential is answered with 404, an unknown one with 503.
    const credential = createCredentialIssuer(secret, self)(doorPath(peer));
    const known = await get(`/${randomUUID()}`, { [credentialHeader]: credential });
    const missing = [...ready.text.matchAll(/"(\w+)":"(?:failed|degraded)"/g)].map(([, part = '']) => part);
    return [
      ready.statusCode === 200 ? ok('is ready') : error(`is not ready: ${missing.join(', ')}`),
      ...(ready.statusCode === 200 && missing.length > 0 ? [note(`is degraded: ${missing.join(', ')}`)] : []),
      known.statusCode === 503 ? error(`does not accept this INTERNAL_AUTH_SECRET from ${self}`) : ok('accepts this INTERNAL_AUTH_SECRET'),
      ...(Number.isNaN(health.reading.atMs) ? [] : [clockFinding(peer, health.reading)]),
    ];
  } catch (thrown) {
    return [error(`cannot be reached: ${reasonOf(thrown)}`)];
  } finally {
    await dispatcher.destroy();
  }
}

interface GrpcAsking extends Asking {
  readonly tls: GrpcTls | undefined;
}

/** A small call that changes nothing, with the credential and the certificate of the service. */
async function ask(peer: DatabaseService, url: string, { self, secret, tls }: GrpcAsking): Promise<void> {
  const options = { url, secret, self, tls };
  if (peer === 'tenancy') {
    const tenancy = connect({ ...options, service: 'tenancy.v1.Tenancy' });
    await tenancy.getScopes({ scopes: [] }).finally(() => tenancy.close());
  } else if (peer === 'rbac') {
    const rbac = connect({ ...options, service: 'rbac.v1.Authorization' });
    await rbac.isAuthorizedMany({ checks: [], explain: false }).finally(() => rbac.close());
  } else {
    const source = connect({ ...options, service: 'revocation.v1.Revocations' });
    await source.list({ cursor: '' }).finally(() => source.close());
  }
}

export async function checkGrpc(peer: DatabaseService, url: string, asking: GrpcAsking): Promise<Finding[]> {
  const { ok, error } = about('grpc', peer);
  try {
    await within(asking.timeoutMs, ask(peer, url, asking));
    return [ok(`answers ${asking.self}`)];
  } catch (thrown) {
    return [error(`does not answer ${asking.self}: ${reasonOf(Error.isError(thrown) ? (thrown.cause ?? thrown) : thrown)}`)];
  }
}
