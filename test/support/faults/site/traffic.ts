/**
 * People at work: reads and writes at a steady pace through all gateways. What was acknowledged
 * stands in a ledger; what failed is counted. Nothing is sent twice.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Stack } from '../../../../tools/stack/stack.ts';
import { createTenant, credentials, data, type Tenant } from '../../load/tenant.ts';
import { Ledger } from './ledger.ts';

/** What one stretch of traffic was answered. */
export type Tally = {
  requests: number;
  acknowledged: number;
  /** How often, by what came instead of an answer: `503`, `ECONNRESET`, `timeout`. */
  readonly failed: Map<string, number>;
  /** A gateway that refused the connection: another one was asked. Nothing had been sent. */
  moved: number;
  slowestMs: number;
  lastFailureAt: number;
  /** The longest time in which no write was acknowledged. */
  longestPauseMs: number;
  /** Answers that lacked what had been acknowledged before they were asked for. */
  readonly past: string[];
};

/** The owner's own token, another one, or none. */
type By = boolean | string;
type Answer = { readonly status: number; readonly body: Awaited<ReturnType<typeof data>> };

const pauseMs = 120;
const answerWithinMs = 40_000;
const refusedCodes = new Set(['ECONNREFUSED', 'ENOENT']);
const joined = `query($i: OrganizationsInput!) { organizations(input: $i) { organizations { name roles { name } } } }`;

function newTally(): Tally {
  return { requests: 0, acknowledged: 0, failed: new Map(), moved: 0, slowestMs: 0, lastFailureAt: 0, longestPauseMs: 0, past: [] };
}

class Failed extends Error {}

export class Traffic {
  readonly ledger = new Ledger();
  tally = newTally();
  readonly #urls: readonly string[];
  readonly #tenant: Tenant;
  readonly #viewerId: string;
  readonly #isMixed: boolean;
  readonly #agent = new Agent({ connections: 20, headersTimeout: answerWithinMs, bodyTimeout: answerWithinMs, connectTimeout: 10_000 });
  #turn = 0;
  #counter = 0;
  #working: Promise<unknown> | undefined;
  #isOver = true;
  #acknowledgedAt = 0;

  private constructor(urls: readonly string[], tenant: Tenant, viewerId: string, isMixed: boolean) {
    this.#urls = urls;
    this.#tenant = tenant;
    this.#viewerId = viewerId;
    this.#isMixed = isMixed;
  }

  /** Mixed: also sign-ins, refreshes, exchanges of keys, decisions, and reads after a write. */
  static async prepare(stack: Stack, urls: readonly string[], { isMixed = false } = {}): Promise<Traffic> {
    const tenant = await createTenant(stack, 'ledger');
    const { client, owner, organizationId } = tenant;
    const roles = data(await client.get(`/api/roles?tenant=organization&scopeId=${organizationId}`, owner.token)).items;
    const viewer = roles.find((role: { name: string }) => role.name === 'Viewer');
    return new Traffic(urls, tenant, viewer.id, isMixed);
  }

  start(): void {
    this.tally = newTally();
    this.#isOver = false;
    this.#acknowledgedAt = performance.now();
    const workers = [...this.#writers(), ...this.#readers(), ...(this.#isMixed ? this.#others() : [])];
    this.#working = Promise.all(workers.map((work, index) => this.#repeat(work, (index * pauseMs) / workers.length)));
  }

  /** After the requests under way have been answered. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  /** Waits until nothing has failed for two seconds. */
  async steady(withinMs = 90_000): Promise<void> {
    const since = performance.now();
    const deadline = since + withinMs;
    while (performance.now() - Math.max(since, this.tally.lastFailureAt) < 2_000) {
      if (performance.now() > deadline) throw new Error(`requests still fail after ${withinMs} ms: ${[...this.tally.failed].join('; ')}`);
      await sleep(50);
    }
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  async #repeat(work: () => Promise<unknown>, firstPauseMs: number): Promise<void> {
    await sleep(firstPauseMs);
    while (!this.#isOver) {
      await work().catch((error: unknown) => {
        if (!(error instanceof Failed)) throw error;
      });
      await sleep(pauseMs);
    }
  }

  get #scope() {
    return { tenant: 'organization', id: this.#tenant.organizationId };
  }

  async #tags(): Promise<void> {
    const scope = this.#scope;
    const [name, renamed] = [randomUUID(), randomUUID()];
    const { id } = await this.#write('POST', '/api/tags', { scope, name, color: 'red' });
    const entry = this.ledger.note('tag', id, name);
    this.#counter += 1;
    if (this.#counter % 3 === 0)
      await this.ledger.change(entry, renamed, () => this.#write('PATCH', `/api/tags/${id}`, { scope, name: renamed }));
    if (this.#counter % 4 === 0) {
      const path = `/api/tags/${id}?tenant=organization&scopeId=${scope.id}`;
      await this.ledger.change(entry, undefined, () => this.#write('DELETE', path));
    }
  }

  async #projects(): Promise<void> {
    const name = randomUUID();
    const { id } = await this.#write('POST', '/api/projects', { scope: this.#scope, name });
    this.ledger.note('project', id, name);
  }

  async #keys(): Promise<void> {
    const name = randomUUID();
    const scope = { tenant: 'organizationProject', id: `${this.#tenant.organizationId}:${this.#tenant.projectId}` };
    const { id } = await this.#write('POST', '/api/api-keys', { scope, name, roleId: this.#viewerId });
    this.ledger.note('key', id, name);
  }

  async #profile(): Promise<void> {
    const name = randomUUID();
    const { userId } = this.#tenant.owner;
    await this.ledger.change(this.ledger.of('person', userId), name, () => this.#write('PATCH', '/api/me', { name }));
  }

  async #registrations(): Promise<void> {
    const name = randomUUID();
    const body = { name, type: 'organization', ...credentials(`${name}@example.com`) };
    const { account } = await this.#write('POST', '/api/auth/register', body, false);
    this.ledger.note('person', account.ownerId, name);
    await sleep(5 * pauseMs);
  }

  /** A refresh token is used once, so that one whose answer was lost is not used again. */
  async #sessions(): Promise<void> {
    const { email } = this.#tenant.owner;
    const signIn = await this.#write('POST', '/api/auth/login', credentials(email), false);
    const { accessToken } = await this.#write('POST', '/api/auth/refresh', { refreshToken: signIn.refreshToken }, false);
    await this.#send('GET', '/api/me', undefined, accessToken);
  }

  /** What was acknowledged is in every later answer, of any server. */
  async #readsAfterWrites(): Promise<void> {
    const scope = this.#scope;
    const name = randomUUID();
    const { id } = await this.#write('POST', '/api/tags', { scope, name, color: 'blue' });
    this.ledger.note('tag', id, name);
    for (let turn = 0; turn < 4; turn += 1) {
      const { body } = await this.#send('GET', `/api/tags?tenant=organization&scopeId=${scope.id}&search=${name}`);
      if (body.data.items.length !== 1) this.tally.past.push(`tag ${id} was acknowledged, and ${body.data.items.length} were listed`);
    }
  }

  async #exchanges(): Promise<void> {
    const scope = { tenant: 'organizationProject', id: `${this.#tenant.organizationId}:${this.#tenant.projectId}` };
    const name = randomUUID();
    const key = await this.#write('POST', '/api/api-keys', { scope, name, roleId: this.#viewerId });
    this.ledger.note('key', key.id, name);
    for (let turn = 0; turn < 3; turn += 1)
      await this.#send('POST', '/api/auth/token', { clientId: key.clientId, clientSecret: key.clientSecret, scope }, false);
  }

  #others(): readonly (() => Promise<unknown>)[] {
    const decision = { scope: this.#scope, permission: { resource: 'Role', action: 'Create' } };
    return [
      () => this.#sessions(),
      () => this.#readsAfterWrites(),
      () => this.#exchanges(),
      () => this.#send('POST', '/api/auth/is-authorized', decision),
    ];
  }

  #writers(): readonly (() => Promise<unknown>)[] {
    return [() => this.#tags(), () => this.#projects(), () => this.#keys(), () => this.#profile(), () => this.#registrations()];
  }

  #readers(): readonly (() => Promise<unknown>)[] {
    const { accountId, organizationId } = this.#tenant;
    const inScope = `tenant=organization&scopeId=${organizationId}`;
    return [
      () => this.#send('GET', '/api/me'),
      () => this.#send('GET', `/api/roles?${inScope}`),
      () => this.#send('GET', `/api/projects?${inScope}`),
      () => this.#send('POST', '/graphql', { query: joined, variables: { i: { scope: { tenant: 'account', id: accountId } } } }),
    ];
  }

  async #write(method: string, path: string, body?: object, by: By = true): Promise<Answer['body']> {
    const answer = await this.#send(method, path, body, by);
    const now = performance.now();
    this.tally.acknowledged += 1;
    this.tally.longestPauseMs = Math.max(this.tally.longestPauseMs, now - this.#acknowledgedAt);
    this.#acknowledgedAt = now;
    return answer.body.data;
  }

  /** The next gateway is asked; another one only when that one refuses the connection. */
  async #send(method: string, path: string, body?: object, by: By = true): Promise<Answer> {
    const beganAt = performance.now();
    this.#turn += 1;
    const first = this.#turn;
    this.tally.requests += 1;
    try {
      for (const index of this.#urls.keys()) {
        try {
          return await this.#ask(`${this.#urls[(first + index) % this.#urls.length]}${path}`, method, body, by);
        } catch (error) {
          if (!refusedCodes.has(codeOf(error)) || index === this.#urls.length - 1) throw error;
          this.tally.moved += 1;
        }
      }
      throw new Error('there is no gateway');
    } catch (error) {
      const why = error instanceof Failed ? error.message : codeOf(error);
      this.tally.failed.set(why, (this.tally.failed.get(why) ?? 0) + 1);
      this.tally.lastFailureAt = performance.now();
      throw new Failed(why);
    } finally {
      this.tally.slowestMs = Math.max(this.tally.slowestMs, performance.now() - beganAt);
    }
  }

  async #ask(url: string, method: string, body: object | undefined, by: By): Promise<Answer> {
    const token = by === true ? this.#tenant.owner.token : by;
    const answer = await request(url, {
      method: method as 'GET',
      dispatcher: this.#agent,
      headers: {
        'user-agent': 'tessera-bench ledger',
        ...(token === false ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    const parsed = text.startsWith('{') ? JSON.parse(text) : {};
    const isGood = answer.statusCode < 300 && parsed.errors === undefined;
    const lacksTime = answer.statusCode === 503 && answer.headers['retry-after'] === undefined ? ' without Retry-After' : '';
    if (!isGood)
      throw new Failed(`${answer.statusCode}${parsed.code === undefined ? '' : ` ${parsed.code}`}${graphCode(parsed)}${lacksTime}`);
    return { status: answer.statusCode, body: parsed };
  }
}

function graphCode({ errors }: { errors?: readonly { extensions?: { code?: string } }[] }): string {
  return errors?.[0] === undefined ? '' : ` ${errors[0].extensions?.code ?? 'GraphQL error'}`;
}

function codeOf(error: unknown): string {
  const { code, cause, name } = error as { code?: string; cause?: { code?: string }; name?: string };
  return code ?? cause?.code ?? name ?? String(error);
}
