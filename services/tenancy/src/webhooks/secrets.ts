/** The secrets that sign deliveries: encrypted at rest, each bound to its webhook. */
import { hkdfSync, randomBytes } from 'node:crypto';
import { secretsIn } from '@tessera/kernel/config';
import { createEnvelope } from '@tessera/kernel/guard';
import type { SealedSecret } from '../storage/webhooks.ts';

export type WebhookSecrets = {
  /** Of the key that encrypts now. */
  readonly keyId: string;
  seal(webhookId: string, secret: string): SealedSecret;
  /** Throws when the key is not configured any more. */
  open(webhookId: string, sealed: SealedSecret): string;
};

/** 256 bits in the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** `values`: WEBHOOK_SECRETS, of which the first encrypts. */
export function createWebhookSecrets(values: string): WebhookSecrets {
  const keys = secretsIn(values).map((value) => Buffer.from(hkdfSync('sha256', value, 'tessera/tenancy', 'webhook-secret', 32)));
  const envelope = createEnvelope(keys);
  const contextOf = (webhookId: string) => `webhook:${webhookId}`;
  return {
    keyId: envelope.currentKeyId,
    seal: (webhookId, secret) => {
      const { sealed, encryptionKeyId } = envelope.seal(Buffer.from(secret), contextOf(webhookId));
      return { secret: sealed, sealedWith: encryptionKeyId };
    },
    open: (webhookId, { secret, sealedWith }) =>
      envelope.open({ sealed: Buffer.from(secret), encryptionKeyId: sealedWith }, contextOf(webhookId)).toString(),
  };
}
