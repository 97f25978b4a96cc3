import type { Shot } from '../load/drive.ts';
import { type HttpTarget, httpShot, value } from '../load/http.ts';
import type { Processes } from '../load/processes.ts';

/** What is compared, in the order of the table. */
export const works = [
  { name: 'sign-in', title: 'Sign-in with a password', concurrency: 2 },
  { name: 'session', title: 'Who is signed in', concurrency: 32 },
  { name: 'renewal', title: 'A new access token for a session', concurrency: 32 },
  { name: 'token', title: 'A token for a machine (client_credentials)', concurrency: 32 },
  { name: 'decision', title: 'A decision, the same question again', concurrency: 32 },
  { name: 'new-decision', title: 'A decision, each question a new one', concurrency: 32 },
  { name: 'permissions', title: 'The list of 20 permissions', concurrency: 32 },
] as const;

export type WorkName = (typeof works)[number]['name'];

export type Task = { readonly shot: Shot; readonly note: string } & Disposable;

export type Product = {
  readonly name: string;
  readonly version: string;
  /** All processes of it, with its database. */
  readonly processes: Processes;
  /** What it does of the works; opened right before it is measured, as tokens end. */
  readonly tasks: { readonly [name in WorkName]?: () => Promise<Task> };
};

/** Actions that the role of the comparison has without a condition; `read` has one. */
export const otherActions = Array.from({ length: 19 }, (_, index) => `do${index}`);

/** The amounts of invoices that the condition `amount < 1000` allows, none twice in a row. */
let asked = 0;
export function nextAmount(): number {
  asked += 1;
  return asked % 1_000;
}

/** One request for the measuring client, after its answer was looked at once. */
export async function taskOf(target: HttpTarget, expected: RegExp, note = ''): Promise<Task> {
  const { status, text } = await answerOf(target);
  if (status !== (target.status ?? 200) || !expected.test(text)) throw new Error(`${value(target.path)}: ${status} ${text.slice(0, 300)}`);
  return { ...httpShot(target, 64), note };
}

/** The answer to a request that must be refused: what always says yes would be cheap. */
export async function expectRefusal(target: HttpTarget, expected: RegExp): Promise<void> {
  const { text } = await answerOf(target);
  if (!expected.test(text)) throw new Error(`${value(target.path)} allowed what it has to refuse: ${text.slice(0, 300)}`);
}

export async function answerOf({ origin, path, method = 'GET', headers = {}, body }: HttpTarget) {
  const response = await fetch(`${origin}${value(path)}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...value(headers) },
    ...(body === undefined ? {} : { body: value(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
