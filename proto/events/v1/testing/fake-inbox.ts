/** The inbox of a fake service: each event in the order of its key, until one of that key fails. */
import type * as wire from '../../../generated/events.v1.ts';

export async function deliverToFake(
  { events }: wire.DeliverRequest,
  receive: (event: wire.Event) => unknown,
): Promise<wire.DeliverResponse> {
  const held = new Set<string>();
  const accepted: string[] = [];
  for (const event of events) {
    if (held.has(event.key)) continue;
    try {
      JSON.parse(event.payloadJson);
      await receive(event);
      accepted.push(event.id);
    } catch {
      held.add(event.key);
    }
  }
  return { accepted };
}
