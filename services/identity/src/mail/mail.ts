/** A mail as it is sent, and as the outbox stores it. */
export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly template: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly html: string;
  /** The picture that the HTML shows, base64. */
  readonly logo?: { readonly id: string; readonly contentType: 'image/png'; readonly content: string };
  readonly createdAt: string;
};

/** Sends a mail. The same id is the same mail, which the transport should deliver once. */
export type MailTransport = { send(id: string, mail: Mail): Promise<void>; close(): Promise<void> };
