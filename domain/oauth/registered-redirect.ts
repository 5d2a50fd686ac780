// Whether a request's redirect URI is one that its client has registered.
import type { ClientKind } from './clients/redirect-uri.ts';

const PORTLESS_LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?=[/?]|$)/;
const PORTED_LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):([1-9][0-9]{0,4})(?=[/?]|$)/;

/**
 * The registered string and nothing else; a native client's loopback URI without a port stands for
 * every port.
 */
export function isRegistered(
  asked: string,
  client: { kind: ClientKind; redirectUris: readonly string[] },
): boolean {
  if (client.redirectUris.includes(asked)) return true;
  if (client.kind !== 'native') return false;
  const ported = PORTED_LOOPBACK.exec(asked);
  if (!ported || Number(ported[2]) > 65_535) return false;
  const portless = asked.replace(PORTED_LOOPBACK, '$1');
  return PORTLESS_LOOPBACK.test(portless) && client.redirectUris.includes(portless);
}
