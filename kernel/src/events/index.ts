export { emit } from './emit.ts';
export type { EventEnvelope, EventLogger, OutgoingEvent } from './event.ts';
export { type EventHandler, type EventHandlers, type InboxOptions, inboxHandler } from './inbox.ts';
export { everySeconds, type Job, type JobOptions, type Schedule, startJob } from './jobs.ts';
export { createRelay, type Relay, type RelayOptions } from './relay.ts';
export { olderThan, prune, pruneKernelTables, sealAuditLog } from './retention.ts';
export type { InboxClient } from './send.ts';
