import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { AddressPolicy } from '../domain/shared/public-address.ts';
import { isRefusal, refuse, type Refusal } from '../domain/shared/refusal.ts';
import { classifyError, deadlineError, type ErrorClass } from './http-errors.ts';
import type { Resolve } from './name-resolver.ts';
import { vettedLookup } from './vetted-lookup.ts';

export type GetRequest = {
  /** Sent to every host on the way, so without credentials. */
  headers: Record<string, string> & { authorization?: never; cookie?: never };
  /** The content types that the caller reads, in lower case and without parameters. */
  types: readonly string[];
  /** The most bytes of the decoded body. */
  limitBytes: number;
  /** The time from the first look-up to the last byte, over all redirects. */
  deadlineMs?: number;
  mostRedirects?: number;
  /** Whether an address without TLS may be read, as the first one and as a hop; else the policy says. */
  isHttpAllowed?: boolean;
};

export type GetResponse = {
  statusCode: number;
  headers: IncomingHttpHeaders;
  /** The address after all redirects, without a fragment. */
  address: string;
  /** How many redirects were followed. */
  redirects: number;
  /** The decoded body up to the limit; empty unless the status is a 2xx. */
  body: Buffer;
  /** The body is longer than the limit. */
  isCut: boolean;
};

/** A private address reads like a public one that nobody listens on. */
export type GetRefusal =
  | 'address_refused'
  | 'unreachable'
  | 'tls_failed'
  | 'timed_out'
  | 'bad_redirect'
  | 'redirect_loop'
  | 'too_many_redirects'
  | 'wrong_type'
  | 'unreadable_body';

const DEADLINE_MS = 8_000;
const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Bytes of one response beside the limit of its body; what decodes to nothing has no end. */
const MOST_MORE_BYTES = 1_024 * 1_024;
/** Responses before the response, with a status of 1xx. */
const MOST_INFORMATION = 20;

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
// Some servers send deflate in a form of their own, so it is decoded but not asked for.
const ACCEPT_ENCODING = 'gzip, br';

const REASONS: Record<ErrorClass, GetRefusal> = {
  policy: 'unreachable',
  dns: 'unreachable',
  refused: 'unreachable',
  reset: 'unreachable',
  tls: 'tls_failed',
  timeout: 'timed_out',
};

type Options = {
  policy: AddressPolicy;
  resolve: Resolve;
  connect: buildConnector.BuildOptions;
  settings: Client.Options;
};

export function createPublicGets({ policy, resolve, connect, settings }: Options) {
  const open = new Set<AbortController>();
  return {
    /** Follows redirects. Never throws: a fault on the other side is a refusal. */
    async get(
      address: string,
      { deadlineMs = DEADLINE_MS, ...request }: GetRequest,
    ): Promise<GetResponse | Refusal<GetRefusal>> {
      const ending = new AbortController();
      const { signal } = ending;
      const lookup = vettedLookup(policy, (hostname) => resolve(hostname, signal));
      const connector = buildConnector({ ...connect, lookup, signal });
      open.add(ending);
      const deadline = setTimeout(() => ending.abort(deadlineError()), deadlineMs);
      try {
        return await follow({ ...request, policy, address, connector, settings, signal });
      } catch (error) {
        return refuse(REASONS[classifyError(error).error]);
      } finally {
        clearTimeout(deadline);
        open.delete(ending);
      }
    },
    close() {
      for (const ending of open) ending.abort();
    },
  };
}

type Walk = Omit<GetRequest, 'deadlineMs'> & {
  policy: AddressPolicy;
  address: string;
  connector: buildConnector.connector;
  settings: Client.Options;
  /** Ends look-ups and connections that are under way. */
  signal: AbortSignal;
};

async function follow(walk: Walk): Promise<GetResponse | Refusal<GetRefusal>> {
  const { policy, isHttpAllowed, mostRedirects = MOST_REDIRECTS } = walk;
  const visited = new Set<string>();
  let { address } = walk;
  for (let redirects = 0; ; redirects += 1) {
    const url = policy.validateUrl(address, { isHttpAllowed });
    if (isRefusal(url)) {
      return refuse(url.refused === 'not_public' ? 'unreachable' : 'address_refused');
    }
    // A server may answer the same address differently the second time.
    if (redirects > mostRedirects) {
      return refuse(visited.has(url.href) ? 'redirect_loop' : 'too_many_redirects');
    }
    visited.add(url.href);
    const response = await visit(url, walk);
    if (isRefusal(response)) return response;
    if (!REDIRECTS.has(response.statusCode)) return { ...response, address: url.href, redirects };
    const next = readLocation(response.headers, url);
    if (next === null) return refuse('bad_redirect');
    address = next.href;
  }
}

type Hop = Omit<GetResponse, 'address' | 'redirects'>;

/** Makes one request on a connection that ends with it. */
async function visit(url: URL, walk: Walk): Promise<Hop | Refusal<GetRefusal>> {
  const { signal, settings } = walk;
  signal.throwIfAborted();
  const mostBytes = walk.limitBytes + MOST_MORE_BYTES;
  const connect = limitSocket(walk.connector, mostBytes);
  const client = new Client(url.origin, { ...settings, connect });
  const end = () => void client.destroy(signal.reason);
  signal.addEventListener('abort', end);
  try {
    const { statusCode, headers, body } = await client.request({
      path: url.pathname + url.search,
      method: 'GET',
      headers: { ...walk.headers, 'accept-encoding': ACCEPT_ENCODING },
      // A body that is never held back: undici fails an assertion, outside of any promise, where
      // the other side closes a connection meanwhile.
      highWaterMark: mostBytes + 1,
      onInfo: countInformation(),
    });
    body.on('error', () => undefined); // the end of the client is one
    const content = await readContent({ statusCode, headers, body }, walk);
    return isRefusal(content) ? content : { statusCode, headers, ...content };
  } finally {
    signal.removeEventListener('abort', end);
    await client.destroy();
  }
}

/** Ends a connection that received too much: headers, trailers and the frames of chunks count. */
function limitSocket(connector: buildConnector.connector, most: number): buildConnector.connector {
  return (options, callback) =>
    connector(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      socket.on('readable', () => {
        if (socket.bytesRead > most) socket.destroy(new Error('too many bytes'));
      });
      return callback(null, socket);
    });
}

function countInformation(): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > MOST_INFORMATION) throw new Error('too many informational responses');
  };
}

function readLocation({ location }: IncomingHttpHeaders, base: URL): URL | null {
  if (typeof location !== 'string') return null;
  // Servers send UTF-8, and the client reads each byte as a character.
  return URL.parse(Buffer.from(location, 'latin1').toString(), base.href);
}

type Content = Pick<GetResponse, 'body' | 'isCut'>;

async function readContent(
  { statusCode, headers, body }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>,
  { types, limitBytes }: Walk,
): Promise<Content | Refusal<GetRefusal>> {
  if (statusCode < 200 || statusCode > 299) return { body: Buffer.alloc(0), isCut: false };
  if (!types.includes(readWord(headers['content-type']).split(';', 1)[0]!.trim())) {
    return refuse('wrong_type');
  }
  const encoding = readWord(headers['content-encoding']);
  if (!isPlain(encoding) && !isDecoder(encoding)) return refuse('unreadable_body');
  const decoded = isDecoder(encoding) ? DECODERS[encoding]() : new PassThrough();
  // What came before a fault is read still, because it may be as much as the limit.
  body.on('data', (chunk) => decoded.write(chunk)).on('close', () => decoded.end());
  const content = await readUpTo(limitBytes, decoded).catch(() => null);
  if (content?.isCut || (content && !body.errored)) return content;
  const isLate = body.errored !== null && classifyError(body.errored).error === 'timeout';
  return refuse(isLate ? 'timed_out' : 'unreadable_body');
}

/** A header that came several times has no one meaning. */
function readWord(header: string | string[] | undefined): string {
  return String(header ?? '')
    .trim()
    .toLowerCase();
}

const isPlain = (encoding: string) => encoding === '' || encoding === 'identity';
const isDecoder = (encoding: string): encoding is keyof typeof DECODERS =>
  Object.hasOwn(DECODERS, encoding);

async function readUpTo(limitBytes: number, stream: Readable): Promise<Content> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop destroys the stream, and with it the connection.
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limitBytes) break;
  }
  const body = Buffer.concat(chunks, Math.min(length, limitBytes));
  return { body, isCut: length > limitBytes };
}
