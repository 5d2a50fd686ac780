import { isLoopbackHost } from '../../shared/loopback.ts';

/**
 * True for `localhost` or a literal loopback address. Any other name may resolve to another
 * machine tomorrow.
 */
export function isLoopbackEndpoint(url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopbackHost(hostname) && !hostname.endsWith('.localhost');
}
