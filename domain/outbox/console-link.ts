/**
 * The static details of a run, which Temporal renders as Markdown: the link to the page of what it
 * is about. The console finds the page by the workflow id.
 */
export function linkToConsole(baseUrl: string, workflowId: string): string {
  const url = new URL('/operator/find', baseUrl);
  url.searchParams.set('q', workflowId);
  return `[Open in the console](${url.href})`;
}
