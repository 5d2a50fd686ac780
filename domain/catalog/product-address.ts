// Where a product's customers use it, and where a purchase may lead back to.
import { isLoopbackHost, isSameServer } from '../shared/loopback.ts';

export type ProductAddresses = {
  /** The address at which customers use the product. */
  websiteUrl: string | null;
  /** The address at which a sign-in with Gatehouse begins at the product. */
  signInUrl: string | null;
};

export type AddressProblem = 'too_long' | 'not_a_url' | 'not_https' | 'own_address';

export const LONGEST_ADDRESS = 2_048;
/** It travels through sign-in within the link, percent-encoded. */
export const LONGEST_RETURN_ADDRESS = 1_000;

// Spaces, control characters, and what is written differently in a URL.
const UNSAFE = /[\s\p{Cc}\\"<>^`{|}]/u;

/**
 * An address of a product as it is stored; null when nothing was typed. Plain HTTP leads to this
 * machine alone, from a platform that runs on it.
 */
export function validateAddress(
  typed: string,
  platformUrl: string,
): { value: string | null; problem: AddressProblem | null } {
  const value = typed.trim();
  if (value === '') return { value: null, problem: null };
  const url = parseWebAddress(value);
  if (url === null) return { value, problem: 'not_a_url' };
  if (url.href.length > LONGEST_ADDRESS) return { value, problem: 'too_long' };
  const platform = new URL(platformUrl);
  const isDevelopment = platform.protocol === 'http:' && isLoopbackHost(platform.hostname);
  const isLocal = isDevelopment && isLoopbackHost(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) return { value, problem: 'not_https' };
  if (isSameServer(url, platform)) return { value, problem: 'own_address' };
  return { value: url.href, problem: null };
}

/** The address that _Open_ leads to: a sign-in spares the customer a page. */
export function openAddress({ signInUrl, websiteUrl }: ProductAddresses): string | null {
  return signInUrl ?? websiteUrl;
}

/** The origins that the product has registered; an app's own scheme has none. */
export function registeredOrigins(
  { websiteUrl, signInUrl }: ProductAddresses,
  redirectUris: readonly string[],
): Set<string> {
  const addresses = [websiteUrl ?? '', signInUrl ?? '', ...redirectUris];
  return new Set(addresses.flatMap((address) => parseWebAddress(address)?.origin ?? []));
}

/** The address that a purchase leads back to; null unless its origin is registered. */
export function decideReturnTo(asked: string, origins: ReadonlySet<string>): string | null {
  const url = parseWebAddress(asked);
  if (url === null || url.href.length > LONGEST_RETURN_ADDRESS) return null;
  return origins.has(url.origin) ? withQueryOf(asked, url) : null;
}

/** The parser percent-encodes an apostrophe, which a signature over the query may hold. */
function withQueryOf(asked: string, url: URL): string {
  const query = /\?[^#]*/.exec(asked)?.[0] ?? '';
  const isAscii = /^[!-~]*$/.test(query);
  return isAscii ? `${url.origin}${url.pathname}${query}${url.hash}` : url.href;
}

/** The address with the purchase that is over, once; everything else keeps its bytes. */
export function withPurchase(returnTo: string, purchaseId: string): string {
  const [, address = '', query, fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(returnTo) ?? [];
  const others = query
    ?.slice(1)
    .split('&')
    .filter((part) => !/^purchase_id(=|$)/.test(part));
  const kept = others?.join('&') ?? '';
  const mark = kept === '' || kept.endsWith('&') ? '' : '&';
  return `${address}?${kept}${mark}purchase_id=${purchaseId}${fragment}`;
}

/** Absolute, of the web, and without a user name, which may look like another host. */
function parseWebAddress(address: string): URL | null {
  if (UNSAFE.test(address) || !/^https?:\/\/[^/?#]/i.test(address)) return null;
  const url = URL.canParse(address) ? new URL(address) : null;
  return url && url.username === '' && url.password === '' ? url : null;
}
