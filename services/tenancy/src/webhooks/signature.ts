/** The headers of Standard Webhooks. */
import { createHmac } from 'node:crypto';

type Message = { readonly id: string; readonly body: string };

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

/** One signature for each secret that is good. The time is that of the attempt. */
export function signedHeaders({ id, body }: Message, secrets: readonly string[], now: Date): Record<string, string> {
  const seconds = Math.floor(now.getTime() / 1_000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => sign(secret, `${id}.${seconds}.${body}`)).join(' '),
  };
}
