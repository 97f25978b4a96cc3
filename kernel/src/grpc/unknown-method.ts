const unimplemented = 12;

/**
 * Undefined from a peer of the version before, while replicas are replaced: it does not know the
 * method yet.
 */
export async function ignoreUnknownMethod<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call;
  } catch (error) {
    if (Error.isError(error) && Error.isError(error.cause) && 'code' in error.cause && error.cause.code === unimplemented) return undefined;
    throw error;
  }
}
