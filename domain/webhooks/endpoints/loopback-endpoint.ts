import { isLoopbackHost } from '../../shared/loopback.ts';

/**
 * True for a literal address of the machine that sends. Any other name may resolve to another
 * machine tomorrow.
 */
export function isLoopbackEndpoint(url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopbackHost(hostname) && !hostname.endsWith('.localhost');
}
