import { Pool } from 'undici';
import type { Shot } from './drive.ts';

export type HttpTarget = {
  /** 'http://127.0.0.1:4000' or 'unix:/path' */
  readonly origin: string;
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => string;
  readonly status?: number;
};

/** A shot at an HTTP target over `connections` kept-alive connections; any other status than the expected one is a failure. */
export const httpShot = (
  { origin, method = 'GET', path, headers = {}, body, status = 200 }: HttpTarget,
  connections = 64,
): { shot: Shot; close(): Promise<void> } => {
  const isSocket = origin.startsWith('unix:');
  const pool = new Pool(isSocket ? 'http://localhost' : origin, {
    connections,
    pipelining: 1,
    ...(isSocket ? { socketPath: origin.slice(5) } : {}),
  });
  const sent = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
  const shot: Shot = async () => {
    const answer = await pool.request({ method, path, headers: sent, ...(body === undefined ? {} : { body: body() }) });
    const text = await answer.body.text();
    if (answer.statusCode !== status) throw new Error(`${answer.statusCode} ${text.slice(0, 200)}`);
  };
  return { shot, close: () => pool.close() };
};
