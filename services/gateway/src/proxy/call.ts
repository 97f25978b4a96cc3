import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EdgeContext } from '../edge/context.ts';

/** A request and its answer, as Node gives them, and what the edge knows of it. */
export type Call = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly edge: EdgeContext };

/** Called once: without a failure when the answer is out or nobody waits for it any more, else with what is to be answered. */
export type Done = (failure?: unknown) => void;
