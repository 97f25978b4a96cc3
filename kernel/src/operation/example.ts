import { createHash } from 'node:crypto';

/**
 * A request that succeeds, for the documentation and for the suites that run every operation. Only
 * what the smallest valid input lacks has to be stated.
 */
export type Example<Input> = {
  readonly input?: Readonly<Partial<Input>>;
  /** All kinds of request, by name, where their fields differ. `input` is one of them. */
  readonly named?: Readonly<Record<string, Readonly<Partial<Input>>>>;
  /**
   * The fields that the audit record of the change must show. Without it: the name, of what is
   * created or updated.
   */
  readonly records?: readonly string[];
};

/**
 * The id in examples of a thing of this resource, as in `exampleId('Role')`. The suites put the id
 * of a real one in its place.
 */
export function exampleId(resource: string): string {
  return `0198c5f4-7d2a-7c3e-9b1f-${createHash('sha256').update(resource).digest('hex').slice(0, 12)}`;
}
