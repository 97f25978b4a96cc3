export type NoticeLogger = { warn(details: object, message: string): void; error(details: object, message: string): void };

export type Message = { readonly subject: string; readonly body: string };

export type Connection = {
  /** Resolves when the server has the messages; rejects when it may not have them. */
  send(messages: readonly Message[]): Promise<void>;
  readonly ended: Promise<void>;
  close(): Promise<void>;
};

export type Transport = { readonly maxBytes: number; connect(onMessage: (message: Message) => void): Promise<Connection> };
