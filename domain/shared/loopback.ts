/** Takes the `hostname` of a URL: traffic to it does not leave the machine. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** True also for another name of this machine, where both are on it. */
export function isSameServer(url: URL, other: URL): boolean {
  if (nameOf(url) === nameOf(other) && portOf(url) === portOf(other)) return true;
  const isLocal = isLoopbackHost(url.hostname) && isLoopbackHost(other.hostname);
  return isLocal && portOf(url) === portOf(other);
}

/** A name may end in a dot. */
function nameOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
