import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import type { AddressPolicy } from '../domain/shared/public-address.ts';
import { isRefusal, refuse, type Refusal } from '../domain/shared/refusal.ts';
import { classifyError, deadlineError, type ErrorClass } from './http-errors.ts';

type GetRequest = {
  /** Sent to every host on the way, so without credentials. */
  headers: Record<string, string> & { authorization?: never; cookie?: never };
  /** The content types that the caller reads, in lower case and without parameters. */
  types: readonly string[];
  /** The most bytes of the decoded body. */
  limitBytes: number;
  /** The time from the first look-up to the last byte, over all redirects. */
  deadlineMs?: number;
  mostRedirects?: number;
};

type GetResponse = {
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
type GetRefusal =
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

/** An encoded body is hardly longer than a decoded one, but what decodes to nothing has no end. */
const MOST_MORE_ENCODED_BYTES = 1_024 * 1_024;

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

type Options = { policy: AddressPolicy; settings: Agent.Options };

export function createPublicGets({ policy, settings }: Options) {
  const open = new Set<Agent>();
  return {
    /** Follows redirects, over plain HTTP too. Never throws: a fault on the other side is a refusal. */
    async get(
      address: string,
      { deadlineMs = DEADLINE_MS, ...request }: GetRequest,
    ): Promise<GetResponse | Refusal<GetRefusal>> {
      const maxResponseSize = request.limitBytes + MOST_MORE_ENCODED_BYTES;
      // With an agent for each call, the end of the agent ends its look-ups, connections and bodies.
      const agent = new Agent({ ...settings, maxResponseSize });
      open.add(agent);
      const deadline = setTimeout(() => void agent.destroy(deadlineError()), deadlineMs);
      try {
        return await follow(agent, { ...request, policy, address });
      } catch (error) {
        return refuse(REASONS[classifyError(error).error]);
      } finally {
        clearTimeout(deadline);
        open.delete(agent);
        await agent.destroy();
      }
    },
    close: () => Promise.all([...open].map((agent) => agent.destroy())),
  };
}

type Walk = Omit<GetRequest, 'deadlineMs'> & { policy: AddressPolicy; address: string };

async function follow(agent: Agent, walk: Walk): Promise<GetResponse | Refusal<GetRefusal>> {
  const { policy, mostRedirects = MOST_REDIRECTS } = walk;
  const headers = { ...walk.headers, 'accept-encoding': ACCEPT_ENCODING };
  const visited = new Set<string>();
  let { address } = walk;
  for (let redirects = 0; ; redirects += 1) {
    const url = policy.validateUrl(address, { isHttpAllowed: true });
    if (isRefusal(url)) {
      return refuse(url.refused === 'not_public' ? 'unreachable' : 'address_refused');
    }
    // A server may answer the same address differently the second time.
    if (redirects > mostRedirects) {
      return refuse(visited.has(url.href) ? 'redirect_loop' : 'too_many_redirects');
    }
    visited.add(url.href);
    const { origin, pathname, search } = url;
    const target = { origin, path: pathname + search, method: 'GET' as const, headers };
    const response = await agent.request(target);
    if (!REDIRECTS.has(response.statusCode)) {
      const content = await readContent(response, walk);
      if (isRefusal(content)) return content;
      const { statusCode } = response;
      return { statusCode, headers: response.headers, address: url.href, redirects, ...content };
    }
    const next = readLocation(response.headers, url);
    if (next === null) return refuse('bad_redirect');
    address = next.href;
  }
}

function readLocation({ location }: IncomingHttpHeaders, base: URL): URL | null {
  return typeof location === 'string' ? URL.parse(location, base.href) : null;
}

type Content = Pick<GetResponse, 'body' | 'isCut'>;

async function readContent(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { types, limitBytes }: Pick<GetRequest, 'types' | 'limitBytes'>,
): Promise<Content | Refusal<GetRefusal>> {
  if (statusCode < 200 || statusCode > 299) return { body: Buffer.alloc(0), isCut: false };
  if (!types.includes(readWord(headers['content-type']).replace(/\s*;.*/s, ''))) {
    return refuse('wrong_type');
  }
  const encoding = readWord(headers['content-encoding']);
  if (!isPlain(encoding) && !isDecoder(encoding)) return refuse('unreadable_body');
  try {
    // The caller of the iterator meets the error of every part.
    const decoded = isDecoder(encoding) ? pipeline(body, DECODERS[encoding](), () => {}) : body;
    return await readUpTo(limitBytes, decoded);
  } catch (error) {
    return refuse(classifyError(error).error === 'timeout' ? 'timed_out' : 'unreadable_body');
  }
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
