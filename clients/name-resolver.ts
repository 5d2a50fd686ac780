// Asks the name servers itself: getaddrinfo would hold one of Node's four threads for as long as a
// tenant's name server is silent, and nothing could cancel it.
import { promises, type LookupAddress } from 'node:dns';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { deadlineError } from './http-errors.ts';

/** All addresses of a name; none where the name does not exist or its name server fails. */
export type Resolve = (hostname: string, signal?: AbortSignal) => Promise<LookupAddress[]>;

export type NameResolver = { resolve: Resolve; close(): void };

type Options = {
  /** A lookup that takes longer is cancelled. */
  deadlineMs: number;
  /** Name servers in place of those in /etc/resolv.conf. */
  servers?: readonly string[] | undefined;
};

// The wait about doubles with each try: the deadline comes before the last one ends.
const RETRIES = { timeout: 2_000, tries: 4 };
const UNANSWERED = new Set(['ECANCELLED', 'ETIMEOUT']);

// Some name servers never answer for a family that a name does not have. IPv6 addresses alone are
// of no use to many networks, so they wait for a repeated question.
const WAIT_FOR_IPV6_MS = 250;
const WAIT_FOR_IPV4_MS = 3_000;

export function createNameResolver({ deadlineMs, servers }: Options): NameResolver {
  const hosts = readHosts();
  const open = new Set<promises.Resolver>();
  return {
    async resolve(hostname, signal) {
      const known = hosts.get(hostname.toLowerCase().replace(/\.$/, ''));
      if (known) return known;
      // A resolver of its own: a silent name server changes nothing for other names.
      const resolver = new promises.Resolver(RETRIES);
      if (servers) resolver.setServers(servers);
      const cancel = () => resolver.cancel();
      open.add(resolver);
      signal?.addEventListener('abort', cancel);
      try {
        return addressesOf(await askBoth(resolver, { hostname, deadlineMs }));
      } finally {
        open.delete(resolver);
        signal?.removeEventListener('abort', cancel);
      }
    },
    close() {
      for (const resolver of open) resolver.cancel();
    },
  };
}

type Response = PromiseSettledResult<string[]>;
type Question = { hostname: string; deadlineMs: number };

/** Waits for both families until the deadline, and for the second one a moment. */
async function askBoth(resolver: promises.Resolver, { hostname, deadlineMs }: Question) {
  const timers: NodeJS.Timeout[] = [];
  const cancelIn = (ms: number) => timers.push(setTimeout(() => resolver.cancel(), ms));
  const ask = async (found: Promise<string[]>, waitMs: number) => {
    const addresses = await found;
    if (addresses.length > 0) cancelIn(waitMs);
    return addresses;
  };
  cancelIn(deadlineMs);
  const responses = await Promise.allSettled([
    ask(resolver.resolve4(hostname), WAIT_FOR_IPV6_MS),
    ask(resolver.resolve6(hostname), WAIT_FOR_IPV4_MS),
  ]);
  for (const timer of timers) clearTimeout(timer);
  return responses;
}

function addressesOf(responses: Response[]): LookupAddress[] {
  const found = responses.flatMap((response) =>
    response.status === 'fulfilled' ? response.value.map(toLookupAddress) : [],
  );
  const isUnanswered = (response: Response) =>
    response.status === 'rejected' && UNANSWERED.has(response.reason.code);
  if (found.length === 0 && responses.some(isUnanswered)) throw deadlineError();
  return found;
}

function toLookupAddress(address: string): LookupAddress {
  return { address, family: isIP(address) };
}

/** The names in /etc/hosts come first, as in the system's own lookup. */
function readHosts(): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>();
  for (const line of readHostsFile().split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map((text) => text.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), toLookupAddress(address)]);
    }
  }
  return hosts;
}

function readHostsFile(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8');
  } catch {
    return '';
  }
}
