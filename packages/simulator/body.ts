import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';

const LIMIT = '64kb';

export function readText(request: IncomingMessage): Promise<string> {
  return getRawBody(request, { limit: LIMIT, encoding: 'utf8' });
}
