/** Where a response leads to, and the notice that the page there shows once: `/settings saved`. */
export function arrivalOf(response: Pick<Response, 'headers'>): string {
  const notice = noticeOf(response);
  return [response.headers.get('location') ?? '', ...(notice ? [notice] : [])].join(' ');
}

export function noticeOf({ headers }: Pick<Response, 'headers'>): string | null {
  const cookies = headers.getSetCookie().join('\n');
  return /gatehouse_notice=(\w+)\./.exec(cookies)?.[1] ?? null;
}
