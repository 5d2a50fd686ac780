const LONGEST = 100;

/**
 * The host of an endpoint, as it may stand in Temporal: the rest of its address may hold a token.
 * Temporal renders Markdown, so no character is left that means something there.
 */
export function endpointHost(url: string): string {
  const { host } = new URL(url);
  return host.replaceAll(/[^\w.:[\]-]/g, '?').slice(0, LONGEST);
}
