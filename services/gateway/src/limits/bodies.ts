import type { IncomingMessage, ServerResponse } from 'node:http';
import { failures } from '@tessera/kernel/errors';
import { limitKey } from '../edge/address.ts';
import type { EdgeContext } from '../edge/context.ts';
import type { Callers } from './caller.ts';

const mebibyte = 1024 * 1024;

/** Larger bodies need a token that verifies. */
export const anonymousBytes = mebibyte;

/** All bodies that this process holds, and those of one client address. */
const mostBytes = 64 * mebibyte;
const mostBytesOfAddress = 16 * mebibyte;

/** A request of a client and its response, and what the edge knows of it. */
export type Call = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly edge: EdgeContext };

export type Bodies = {
  /** Reads a whole body of at most `limitBytes`. It counts until the response is over. */
  read(call: Call, limitBytes: number): Promise<Buffer>;
};

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');
}

/** Collected here, a slow or large body holds neither a connection to a service nor its memory. */
export function createBodies(callers: Callers): Bodies {
  const held = createHeldBytes();
  return {
    read: async ({ request, response, edge }, limitBytes) => {
      const declared = request.headers['transfer-encoding'] === undefined ? Number(request.headers['content-length']) : undefined;
      if (declared !== undefined && declared > limitBytes) throw failures.tooLarge();
      const mayBeLarge = limitBytes > anonymousBytes && (declared === undefined || declared > anonymousBytes);
      // A chunked body may turn out to be small, for which no token is needed.
      if (mayBeLarge && (declared !== undefined || request.headers.authorization !== undefined))
        await callers.require(request.headers.authorization, edge);
      const isAnonymous = mayBeLarge && request.headers.authorization === undefined;
      const hold = held.of(limitKey(edge.address));
      response.on('close', hold.release);
      return collect(request, isAnonymous ? anonymousBytes : limitBytes, hold);
    },
  };
}

type Hold = { readonly take: (bytes: number) => boolean; readonly release: () => void };

function createHeldBytes() {
  let total = 0;
  const byAddress = new Map<string, number>();
  const add = (address: string, bytes: number): void => {
    total += bytes;
    const left = (byAddress.get(address) ?? 0) + bytes;
    if (left === 0) byAddress.delete(address);
    else byAddress.set(address, left);
  };
  return {
    of: (address: string): Hold => {
      let own = 0;
      return {
        take: (bytes) => {
          if (total + bytes > mostBytes || (byAddress.get(address) ?? 0) + bytes > mostBytesOfAddress) return false;
          own += bytes;
          add(address, bytes);
          return true;
        },
        release: () => {
          add(address, -own);
          own = 0;
        },
      };
    },
  };
}

function collect(request: IncomingMessage, limitBytes: number, hold: Hold): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const refuse = (error: Error): void => {
      request.off('data', keep);
      chunks.length = 0;
      hold.release();
      reject(error);
    };
    const keep = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limitBytes) refuse(failures.tooLarge());
      else if (hold.take(chunk.length)) chunks.push(chunk);
      else refuse(failures.unavailable('gateway'));
    };
    // Each of the others comes once; `once` would cost a wrapper for each.
    request.on('data', keep);
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', refuse);
    request.on('close', () => {
      if (!request.complete) refuse(failures.badInput());
    });
  });
}
