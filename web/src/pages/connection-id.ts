const shape = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Whether the address of a page names a connection: only then it goes into another address. */
export function isConnectionId(connection: string | undefined): connection is string {
  return connection !== undefined && shape.test(connection);
}
