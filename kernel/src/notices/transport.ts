export type NoticeLogger = { warn(details: object, message: string): void; error(details: object, message: string): void };

/** What carries notices between processes. Messages are opaque texts of at most `maxBytes`. */
export type Transport = {
  readonly maxBytes: number;
  /** Sent within milliseconds and not confirmed; while disconnected a bounded number waits. */
  send(messages: readonly string[]): void;
  readonly isConnected: boolean;
  close(): Promise<void>;
};

export type TransportOptions = {
  readonly url: string;
  readonly onMessage: (message: string) => void;
  /** Called whenever messages begin to arrive (again). */
  readonly onConnect: () => void;
  readonly logger: NoticeLogger;
};
