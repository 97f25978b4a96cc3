/**
 * An address that is no operation, as the gateway must know it. The gateway's table is generated
 * from these and from the declarations of the operations.
 */
export type ProtocolRoute = {
  readonly path: string;
  /** All paths below it belong to the service, too. */
  readonly isPrefix?: true;
  /** `auth`: as in the declaration of an operation. `client`: OAuth clients authenticate there. */
  readonly limit?: 'auth' | 'client';
  /** The service itself says which browser origins may read: those of the client that asks. */
  readonly cors?: 'service';
  /** A public document that hardly ever changes: remembered, with a limit of its own. */
  readonly isDocument?: true;
};
