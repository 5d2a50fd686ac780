// The rules of public addresses: whatever a tenant names, no address of our own networks is called.
import ipaddr from 'ipaddr.js';
import { refuse, type Refusal } from './refusal.ts';

export type AddressPolicy = {
  /** Checks the address to which a socket is about to connect. */
  isAllowed(address: string): boolean;
  /** Checks a URL without DNS: scheme, credentials, port, name, literal address. */
  validateUrl(text: string, schemes?: Schemes): URL | Refusal<UrlRefusal>;
};

export type UrlRefusal =
  | 'not_a_url'
  | 'too_long'
  | 'scheme'
  | 'credentials'
  | 'port'
  | 'not_public';

type Schemes = { isHttpAllowed?: boolean | undefined };

type Options = Schemes & {
  /** Further networks that may be called: local development and tests. */
  allowedNetworks?: readonly string[];
  /** The own addresses of this machine, which may be public ones. */
  ownAddresses?: readonly string[];
};

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

const MAX_URL_LENGTH = 2_048;

const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map(parseNetwork);

// Every other public address lies within 2000::/3.
const GLOBAL_IPV6 = parseNetwork('2000::/3');
const REFUSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(parseNetwork);
// A translator carries what is sent there on to an IPv4 address. Only the first names it in a known
// place, and networks without IPv4 make such addresses up for every name.
const NAT64 = parseNetwork('64:ff9b::/96');
const OTHER_NAT64 = parseNetwork('64:ff9b:1::/48');

// The fetch standard's bad ports, and those of PostgreSQL, Redis and Temporal.
const REFUSED_PORTS = new Set(
  `0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113
   115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554
   556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665
   6666 6667 6668 6669 6679 6697 10080 5432 6379 7233`.split(/\s+/),
);

export function createAddressPolicy(options: Options = {}): AddressPolicy {
  const allowed = (options.allowedNetworks ?? []).map(parseNetwork);
  const own = new Set((options.ownAddresses ?? []).map(normalise));
  const isForeignPublic = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    isPublic(address) && !own.has(address.toNormalizedString());
  const isAllowed = (text: string) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    if (isInside(address, [OTHER_NAT64])) return false;
    // What this machine may call is not what a translator may call from its own network.
    if (isInside(address, [NAT64])) return isForeignPublic(embeddedIpv4(address));
    return isInside(address, allowed) || isForeignPublic(address);
  };
  const isHostAllowed = (host: string) => {
    if (ipaddr.isValid(host)) return isAllowed(host);
    if (host.split('.').includes('')) return false;
    // A name without a dot is internal; with allowed networks its addresses decide.
    if (allowed.length > 0) return true;
    return host.includes('.') && !host.endsWith('.localhost');
  };
  return {
    isAllowed,
    validateUrl(text, { isHttpAllowed = options.isHttpAllowed } = {}) {
      if (text.length > MAX_URL_LENGTH) return refuse('too_long');
      const url = URL.parse(text);
      if (!url) return refuse('not_a_url');
      const isHttps = url.protocol === 'https:';
      if (!isHttps && !(isHttpAllowed && url.protocol === 'http:')) return refuse('scheme');
      if (url.username || url.password) return refuse('credentials');
      if (REFUSED_PORTS.has(url.port)) return refuse('port');
      const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
      if (!isHostAllowed(host)) return refuse('not_public');
      url.hash = '';
      // Encoding non-ASCII characters lengthens the URL.
      return url.href.length > MAX_URL_LENGTH ? refuse('too_long') : url;
    },
  };
}

/** True for an address with a prefix length, like `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text);
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.kind() === 'ipv4') return !isInside(address, REFUSED_IPV4);
  return isInside(address, [GLOBAL_IPV6]) && !isInside(address, REFUSED_IPV6);
}

/** The last four bytes. */
function embeddedIpv4(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function isInside(address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly Network[]): boolean {
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}

function parseNetwork(text: string): Network {
  return ipaddr.parseCIDR(text);
}

function normalise(text: string): string {
  return ipaddr.process(text).toNormalizedString();
}
