/** A mail as it leaves: what the outbox keeps is exactly this. */
export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly template: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly html: string;
  readonly createdAt: string;
};

/** Sends a mail. The same id again is the same mail: it must not reach anybody twice if the transport can help it. */
export type MailTransport = { send(id: string, mail: Mail): Promise<void>; close(): Promise<void> };
