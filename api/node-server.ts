// What Node's HTTP server would answer by itself, in our own words.
import type { RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { inTurn } from '../platform/in-turn.ts';
import { Failure } from './errors.ts';
import { renderFailure } from './middleware/error-handler.ts';
import { refuseMethod } from './middleware/allowed-methods.ts';
import { newRequestId, REQUEST_ID } from './middleware/request-id.ts';
import type { MethodsOf } from './routers.ts';

export type NodeServer = {
  handler: RequestListener;
  /** For each server that serves the handler. */
  guard(server: Server): void;
};

type ParserFault = Error & { code?: string; rawPacket?: Buffer };

/** With the second in which it is noticed and the time to read our answer, half a minute. */
const REQUEST_TIMEOUT_MS = 27_000;
const LINGER_MS = 2_000;
/** An idle one costs some ten kilobytes: as many as a process of a few hundred megabytes can bear. */
const MOST_CONNECTIONS = 10_000;
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} (\S{1,2048}) HTTP\/1\.[01]\r?\n/;

export function createNodeServer(options: {
  handler: RequestListener;
  methodsOf: MethodsOf;
  fixedHeaders: (path: string) => Readonly<Record<string, string>>;
  isSimulated: boolean;
}): NodeServer {
  const { handler, methodsOf, fixedHeaders, isSimulated } = options;
  const refuse = (socket: Duplex, failure: Failure, path: string, status = failure.status) => {
    if (!socket.writable) return socket.destroy();
    // Its caller may never close the other half.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
    const requestId = newRequestId();
    const { type, body } = renderFailure(failure, { path, requestId, isSimulated });
    const own = { [REQUEST_ID]: requestId, 'content-type': type };
    const headers = { ...fixedHeaders(path), ...failure.headers, ...own };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = Buffer.byteLength(body);
    return socket.end(
      `HTTP/1.1 ${status} Refused\r\n${lines.join('')}connection: close\r\ncontent-length: ${length}\r\n\r\n${body}`,
    );
  };
  return {
    handler: inTurn(handler),
    guard(server) {
      server.requestTimeout = REQUEST_TIMEOUT_MS;
      // Node takes the longer of the two for the body.
      server.headersTimeout = REQUEST_TIMEOUT_MS;
      server.maxConnections = MOST_CONNECTIONS;
      // Both would be answered without a request id: the application does it instead.
      (server as Server & { requireHostHeader: boolean }).requireHostHeader = false;
      server.on('connect', (request, socket) => {
        // Node has let go of this socket: its faults would end the process, its caller could keep it.
        socket.on('error', () => undefined).resume();
        refuse(socket, refuseMethod(methodsOf, request.url ?? ''), '/api/');
      });
      server.on('clientError', (fault: ParserFault, socket) => {
        if (fault.code === 'ECONNRESET') return socket.destroy();
        const path = fault.code === 'HPE_INVALID_METHOD' ? pathOf(fault.rawPacket) : null;
        if (path !== null) return refuse(socket, refuseMethod(methodsOf, path), path);
        return refuse(socket, unreadable(fault), '/api/', STATUSES[fault.code ?? '']);
      });
    },
  };
}

const STATUSES: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function unreadable({ code }: ParserFault): Failure {
  const message =
    code === 'HPE_HEADER_OVERFLOW'
      ? 'The headers are too large.'
      : 'The request cannot be understood.';
  return new Failure('invalid_request', { message });
}

/** The path of a request whose method is well formed but unknown to the parser. */
function pathOf(packet: Buffer | undefined): string | null {
  const target = REQUEST_LINE.exec(packet?.toString('latin1') ?? '')?.[1];
  return target?.startsWith('/') ? (target.split('?')[0] ?? null) : null;
}
