import { channel } from 'node:diagnostics_channel';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, type Dispatcher } from 'undici';
import type { AddressPolicy } from '../domain/shared/public-address.ts';
import { isRefusal } from '../domain/shared/refusal.ts';
import {
  classifyFault,
  deadlineFault,
  noAddressFault,
  policyFault,
  type FaultClass,
} from './http-errors.ts';
import { createNameResolver, type Resolve } from './name-resolver.ts';

type PublicAnswer = {
  statusCode: number | null;
  /** Why there is no complete response; null when there is one, whatever its status. */
  error: FaultClass | null;
  ip: string | null;
  bodyStart: string | null;
  durationMs: number;
};

export type PublicHttp = {
  /** Never throws: a fault on the other side is a response. */
  post(url: string, message: PublicMessage): Promise<PublicAnswer>;
  close(): Promise<void>;
};

type PublicMessage = { headers: Record<string, string>; body: Buffer };

type Options = {
  policy: AddressPolicy;
  deadlineMs?: number;
  /** Name servers in place of those in /etc/resolv.conf. */
  servers?: readonly string[];
  resolve?: Resolve;
};

const DEADLINE_MS = 10_000;
const BODY_LIMIT = 64 * 1_024;
const BODY_KEPT = 2 * 1_024;
const HEADER_LIMIT = 16 * 1_024;

/** HTTP to public addresses: no redirects, no proxy, one deadline over everything. */
export function createPublicHttp(options: Options): PublicHttp {
  const { policy, deadlineMs = DEADLINE_MS, servers } = options;
  const names = createNameResolver({ deadlineMs, servers });
  const resolve = options.resolve ?? names.resolve;
  const agent = new Agent({
    connect: { lookup: vettedLookup(policy, resolve), timeout: deadlineMs },
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
    maxHeaderSize: HEADER_LIMIT,
  });
  // Only the sender's socket knows which of a name's addresses was used.
  const dialled = new WeakMap<object, string | null>();
  const onSend = (event: unknown) => {
    const { request, socket } = event as SendEvent;
    if (request.body && dialled.has(request.body)) {
      dialled.set(request.body, socket.remoteAddress ?? null);
    }
  };
  const sends = channel('undici:client:sendHeaders');
  sends.subscribe(onSend);
  return {
    async post(text, { headers, body }) {
      const target = toTarget(policy.validateUrl(text));
      if (!target) return { ...unanswered(null, policyFault()), durationMs: 0 };
      const startedAt = performance.now();
      dialled.set(body, null);
      const request = { ...target, method: 'POST' as const, headers, body };
      const answer = await exchange(agent, { request, deadlineMs });
      const ip = dialled.get(body) ?? answer.ip;
      return { ...answer, ip, durationMs: Math.round(performance.now() - startedAt) };
    },
    async close() {
      sends.unsubscribe(onSend);
      names.close();
      await agent.destroy();
    },
  };
}

type SendEvent = { request: { body?: object | null }; socket: { remoteAddress?: string } };

type Target = { origin: string; path: string };

/** Null for an address that must not be called. */
function toTarget(url: ReturnType<AddressPolicy['validateUrl']>): Target | null {
  return isRefusal(url) ? null : { origin: url.origin, path: url.pathname + url.search };
}

type Answer = Omit<PublicAnswer, 'durationMs'>;

type Exchange = { request: Dispatcher.DispatchOptions; deadlineMs: number };

/**
 * Uses undici's own events: a stream and an abort signal for each exchange would cost half as much
 * again.
 */
function exchange(agent: Agent, { request, deadlineMs }: Exchange): Promise<Answer> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let statusCode: number | null = null;
    let length = 0;
    const kept: Buffer[] = [];
    const end = (answer: Answer) => {
      isOver = true;
      clearTimeout(deadline);
      resolve(answer);
    };
    const stop = (answer: Answer) => {
      end(answer);
      controller?.abort(deadlineFault());
    };
    const incomplete = (error: unknown) => ({
      ...unanswered(statusCode, error),
      bodyStart: kept.length === 0 ? null : toText(kept),
    });
    const complete = () => ({ statusCode, error: null, ip: null, bodyStart: toText(kept) });
    const deadline = setTimeout(() => stop(incomplete(deadlineFault())), deadlineMs);
    agent.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        if (isOver) started.abort(deadlineFault());
      },
      onResponseStart(_controller, code) {
        if (code >= 200) statusCode = code;
      },
      onResponseData(_controller, chunk) {
        if (isOver) return;
        if (length < BODY_KEPT) kept.push(chunk.subarray(0, BODY_KEPT - length));
        length += chunk.length;
        if (length >= BODY_LIMIT) stop(complete());
      },
      onResponseEnd() {
        end(complete());
      },
      onResponseError(_controller, error) {
        end(incomplete(error)); // a late fault changes nothing
      },
    });
  });
}

function unanswered(statusCode: number | null, error: unknown): Answer {
  return { statusCode, ...classifyFault(error), bodyStart: null };
}

/** As PostgreSQL can store it. */
function toText(kept: Buffer[]): string {
  if (kept.length === 0) return '';
  return Buffer.concat(kept).toString('utf8').replaceAll('\0', '\uFFFD');
}

/**
 * Every address of a name must be allowed, so a mixed answer is refused; the socket connects to no
 * other.
 */
function vettedLookup(policy: AddressPolicy, resolve: Resolve): LookupFunction {
  const findAddresses = callbackify(resolve);
  return (hostname, options, callback) => {
    findAddresses(hostname, (error, addresses) => {
      if (error) return callback(error, []);
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
