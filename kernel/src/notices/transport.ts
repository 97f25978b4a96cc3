export type NoticeLogger = { warn(details: object, message: string): void; error(details: object, message: string): void };

export type Message = { readonly subject: string; readonly body: string };

/** One connection to the server that carries notices between processes. */
export type Connection = {
  /** Resolves when the server has the messages; rejects when it may not have them. */
  send(messages: readonly Message[]): Promise<void>;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
};

export type Transport = {
  readonly maxBytes: number;
  /** Resolves when messages begin to arrive. Gives up after some seconds. */
  connect(onMessage: (message: Message) => void): Promise<Connection>;
};
