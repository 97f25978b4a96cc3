/** What the generated types say of messages and services, as the services use it. */
import type { MethodDefinition } from '@grpc/proto-loader';

/**
 * A message with all its fields: those without `optional` are there, also messages (the kernel
 * refuses to read one without them). A sender has to give each of them, so that a forgotten field
 * is a compile error and not a silent default.
 */
export type Message<T> = T extends readonly (infer Item)[]
  ? readonly Message<Item>[]
  : T extends object
    ? { [Field in keyof T]: Message<NonNullable<T[Field]>> | (Record<never, never> extends Pick<T, Field> ? undefined : never) }
    : T;

/** The methods of a service by their camelCase names. */
export type Methods<Definition> = {
  [Name in keyof Definition as string extends Name ? never : Uncapitalize<Name & string>]: Definition[Name] extends MethodDefinition<
    infer _RequestInput,
    infer _ResponseInput,
    infer Request,
    infer Response
  >
    ? { request: Message<Request>; response: Message<Response> }
    : never;
};
