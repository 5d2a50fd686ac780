import { channel } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Agent, type Dispatcher } from 'undici';
import { MINUTE_MS } from '../domain/shared/instant.ts';
import type { AddressPolicy } from '../domain/shared/public-address.ts';
import { isRefusal } from '../domain/shared/refusal.ts';
import { classifyError, deadlineError, policyError, type ErrorClass } from './http-errors.ts';
import { createNameResolver, type Resolve } from './name-resolver.ts';
import { createPublicGets } from './public-get.ts';
import { vettedLookup } from './vetted-lookup.ts';

type PublicResponse = {
  statusCode: number | null;
  /** Why there is no complete response; null when there is one, whatever its status. */
  error: ErrorClass | null;
  ip: string | null;
  bodyStart: string | null;
  /** The request was written to a connection: it may have arrived. */
  isSent: boolean;
  durationMs: number;
};

export type PublicHttp = ReturnType<typeof createPublicHttp>;

type PublicMessage = { headers: Record<string, string>; body: Buffer };

type Options = {
  policy: AddressPolicy;
  deadlineMs: number;
  /** Name servers in place of those in /etc/resolv.conf. */
  servers?: readonly string[];
  resolve?: Resolve;
};

// Node tries the addresses of a name one after the other. A connection that lost two packets is
// there after three seconds.
const CONNECT_ATTEMPT_MS = 3_500;
const BODY_LIMIT = 64 * 1_024;
const BODY_KEPT = 2 * 1_024;
const HEADER_LIMIT = 16 * 1_024;

/** HTTP to public addresses: no proxy, no cookies, one deadline over everything. */
export function createPublicHttp(options: Options) {
  const { policy, deadlineMs, servers } = options;
  const names = createNameResolver({ deadlineMs, servers });
  const resolve = options.resolve ?? names.resolve;
  const connect = { timeout: deadlineMs, autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS };
  const settings: Agent.Options = {
    connect: { ...connect, lookup: vettedLookup(policy, resolve) },
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
    maxHeaderSize: HEADER_LIMIT,
  };
  const agents = { pooled: new Agent(settings), fresh: new Agent({ ...settings, pipelining: 0 }) };
  const sends = watchSends();
  const readTarget = createTargetReader(policy);
  const gets = createPublicGets({ policy, resolve, connect, settings });
  return {
    get: gets.get,
    /** Follows no redirect. Never throws: a fault on the other side is a response. */
    async post(text: string, { headers, body }: PublicMessage): Promise<PublicResponse> {
      const target = readTarget(text);
      if (target === REFUSED)
        return { ...toErrorResponse(null, policyError()), isSent: false, durationMs: 0 };
      const startedAt = performance.now();
      const send = sends.watch(body);
      const request = { ...target, method: 'POST' as const, headers, body };
      const answer = await exchange(agents, { request, send, deadlineMs });
      const { ip, isSent } = send;
      const durationMs = Math.round(performance.now() - startedAt);
      return { ...answer, ip: ip ?? answer.ip, isSent, durationMs };
    },
    async close() {
      sends.stop();
      gets.close();
      names.close();
      await Promise.all([agents.fresh.destroy(), agents.pooled.destroy()]);
    },
  };
}

type Target = { origin: string; path: string };

/** Stands in place of a target that must not be called. */
const REFUSED = 'refused';

/** Remembers URLs as they were judged. The addresses of a name are judged for each connection. */
function createTargetReader(policy: AddressPolicy): (text: string) => Target | typeof REFUSED {
  const targets = new LRUCache<string, Target | typeof REFUSED>({
    max: 1_000,
    ttl: MINUTE_MS,
    memoMethod: (text) => {
      const url = policy.validateUrl(text);
      return isRefusal(url) ? REFUSED : { origin: url.origin, path: url.pathname + url.search };
    },
  });
  return (text) => targets.memo(text);
}

/** What became of a request before its response. */
type Send = {
  isSent: boolean;
  /** The one of a name's addresses that was used. */
  ip: string | null;
  /** The connection carried another request before, and has received so many bytes. */
  reused: { socket: Socket; bytesRead: number } | null;
};

type SendEvent = { request: { body?: object | null }; socket: Socket };

/** Only undici's own event names the connection of a request. */
function watchSends() {
  const sends = new WeakMap<object, Send>();
  const used = new WeakSet<Socket>();
  const onSend = (event: unknown) => {
    const { request, socket } = event as SendEvent;
    const send = request.body ? sends.get(request.body) : undefined;
    if (!send) return;
    send.isSent = true;
    send.ip = socket.remoteAddress ?? null;
    send.reused = used.has(socket) ? { socket, bytesRead: socket.bytesRead } : null;
    used.add(socket);
  };
  const events = channel('undici:client:sendHeaders');
  events.subscribe(onSend);
  return {
    watch(body: Buffer): Send {
      const send: Send = { isSent: false, ip: null, reused: null };
      sends.set(body, send);
      return send;
    },
    stop: () => void events.unsubscribe(onSend),
  };
}

type HttpResponse = Omit<PublicResponse, 'isSent' | 'durationMs'>;

/** `fresh` makes a connection for each request. */
type Agents = { pooled: Agent; fresh: Agent };

type Exchange = { request: Dispatcher.DispatchOptions; send: Send; deadlineMs: number };

/**
 * Uses undici's own events: a stream and an abort signal for each exchange would cost half as much
 * again.
 */
function exchange(agents: Agents, { request, send, deadlineMs }: Exchange): Promise<HttpResponse> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let statusCode: number | null = null;
    let length = 0;
    const kept: Buffer[] = [];
    const end = (answer: HttpResponse) => {
      isOver = true;
      clearTimeout(deadline);
      resolve(answer);
    };
    const stop = (answer: HttpResponse) => {
      end(answer);
      controller?.abort(deadlineError());
    };
    const complete = () => ({ statusCode, error: null, ip: null, bodyStart: toText(kept) });
    // The status of a 2xx says that the message was accepted, whatever becomes of the body.
    const incomplete = (error: unknown) =>
      isSuccess(statusCode)
        ? complete()
        : {
            ...toErrorResponse(statusCode, error),
            bodyStart: kept.length === 0 ? null : toText(kept),
          };
    const deadline = setTimeout(() => stop(incomplete(deadlineError())), deadlineMs);
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        if (isOver) started.abort(deadlineError());
      },
      onResponseStart(_controller, code, headers) {
        if (code < 200) return;
        statusCode = code;
        // The client would wait for a body that must not come.
        if (WITHOUT_BODY.has(code) && announcesBody(headers)) stop(complete());
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
        if (isOver) return; // a late fault changes nothing
        if (!isLostByReuse(send, error)) return end(incomplete(error));
        send.reused = null;
        agents.fresh.dispatch(request, handler);
      },
    };
    agents.pooled.dispatch(request, handler);
  });
}

/**
 * The receiver closed a kept connection while the request was under way to it, before any byte of a
 * response.
 */
function isLostByReuse({ reused }: Send, error: unknown): boolean {
  if (reused === null || reused.socket.bytesRead > reused.bytesRead) return false;
  return classifyError(error).error === 'reset';
}

const WITHOUT_BODY = new Set([204, 304]);

function announcesBody(headers: IncomingHttpHeaders): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return length !== '0' || coding !== undefined;
}

export function isSuccess(statusCode: number | null): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}

function toErrorResponse(statusCode: number | null, error: unknown): HttpResponse {
  return { statusCode, ...classifyError(error), bodyStart: null };
}

/** The text as PostgreSQL can store it. */
function toText(kept: Buffer[]): string {
  if (kept.length === 0) return '';
  return Buffer.concat(kept).toString('utf8').replaceAll('\0', '\uFFFD');
}
