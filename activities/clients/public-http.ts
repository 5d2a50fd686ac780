import { channel } from 'node:diagnostics_channel';
import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, request, type Dispatcher } from 'undici';
import type { AddressPolicy } from '../../domain/platform/public-address.ts';
import { isRefusal } from '../../domain/platform/refusal.ts';
import { classifyFault, noAddressFault, policyFault, type FaultClass } from './http-faults.ts';

type PublicAnswer = {
  statusCode: number | null;
  /** Why there is no complete answer; null when there is one, whatever its status. */
  fault: FaultClass | null;
  ip: string | null;
  bodyStart: string | null;
  durationMs: number;
};

export type PublicHttp = {
  /** Never throws: what goes wrong out there is an answer. */
  post(url: string, message: PublicMessage): Promise<PublicAnswer>;
  close(): Promise<void>;
};

type PublicMessage = { headers: Record<string, string>; body: Buffer };

/** All addresses of a name, as node:dns tells them. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (fault: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type Options = { policy: AddressPolicy; deadlineMs?: number; resolve?: Resolve };

const DEADLINE_MS = 10_000;
const BODY_LIMIT = 64 * 1_024;
const BODY_KEPT = 2 * 1_024;
const HEADER_LIMIT = 16 * 1_024;

/** HTTP to strangers: public addresses only, no redirects, no proxy, one deadline over everything. */
export function createPublicHttp(options: Options): PublicHttp {
  const { policy, deadlineMs = DEADLINE_MS, resolve = lookup } = options;
  const agent = new Agent({
    connect: { lookup: vettedLookup(policy, resolve), timeout: deadlineMs },
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
    maxHeaderSize: HEADER_LIMIT,
  });
  // Only the sender's socket knows which of a name's addresses was dialled.
  const dialled = new WeakMap<object, string>();
  const onSend = (event: unknown) => {
    const { request, socket } = event as SendEvent;
    if (request.body && socket.remoteAddress) dialled.set(request.body, socket.remoteAddress);
  };
  const sends = channel('undici:client:sendHeaders');
  sends.subscribe(onSend);
  return {
    async post(text, { headers, body }) {
      const startedAt = performance.now();
      const answer = await attempt(async () => {
        const url = policy.judgeUrl(text);
        if (isRefusal(url)) throw policyFault();
        const signal = AbortSignal.timeout(deadlineMs);
        return request(url, { dispatcher: agent, method: 'POST', headers, body, signal });
      });
      const durationMs = Math.round(performance.now() - startedAt);
      return { ...answer, ip: dialled.get(body) ?? answer.ip, durationMs };
    },
    async close() {
      sends.unsubscribe(onSend);
      await agent.destroy();
    },
  };
}

type SendEvent = { request: { body?: object | null }; socket: { remoteAddress?: string } };

async function attempt(
  send: () => Promise<Dispatcher.ResponseData>,
): Promise<Omit<PublicAnswer, 'durationMs'>> {
  let statusCode: number | null = null;
  try {
    const response = await send();
    statusCode = response.statusCode;
    return { statusCode, fault: null, ip: null, bodyStart: await readStart(response.body) };
  } catch (fault) {
    return { statusCode, ...classifyFault(fault), bodyStart: null };
  }
}

/** Reads to the end, at most so far, and keeps the first part as text that PostgreSQL can store. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const kept: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (length < BODY_KEPT) kept.push(chunk.subarray(0, BODY_KEPT - length));
    length += chunk.length;
    if (length >= BODY_LIMIT) break;
  }
  return Buffer.concat(kept).toString('utf8').replaceAll('\0', '\uFFFD');
}

/** Every address of a name must be allowed, a mixed answer is refused; the socket dials no other. */
function vettedLookup(policy: AddressPolicy, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (fault, addresses) => {
      if (fault) return callback(fault, []);
      if (addresses.length === 0) return callback(noAddressFault(), []);
      if (!addresses.every(({ address }) => policy.isAllowed(address))) {
        return callback(policyFault(), []);
      }
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return callback(null, first?.address ?? '', first?.family);
    });
  };
}
