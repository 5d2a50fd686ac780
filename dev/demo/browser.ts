// As much of a browser as a purchase without JavaScript needs: cookies, links, forms, one redirect at a time.

export type Page = { url: string; status: number; location: string | null; html: string };

export function createBrowser() {
  // Of one host, whatever the port: store and simulator share it on this machine.
  const cookies = new Map<string, string>();

  async function visit(url: string, form?: Record<string, string>): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { origin } = new URL(url);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, ...(form && { origin }) },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      location: location && new URL(location, url).href,
      html: await response.text(),
    };
  }

  return {
    visit,
    /** Sends the form of a page with these fields filled in. */
    submit(page: Page, values: Record<string, string> = {}, to?: string): Promise<Page> {
      const { action, fields } = readForm(page, to);
      return visit(action, { ...fields, ...values });
    },
  };
}

/**
 * The named fields of a form: what a browser would send untouched. The page's first one, or the one
 * that is sent to an address.
 */
export function readForm(
  page: Page,
  to?: string,
): { action: string; fields: Record<string, string> } {
  const forms = page.html.match(/<form[^>]*method="post"[^>]*>[\s\S]*?<\/form>/gi) ?? [];
  // Without its script a form of passkeys stays hidden.
  const isWanted = (each: string) =>
    to === undefined ? !/^<form[^>]*\shidden/i.test(each) : each.includes(`action="${to}"`);
  const form = forms.find(isWanted) ?? '';
  const action = attribute(/<form[^>]*>/i.exec(form)?.[0] ?? '', 'action') ?? page.url;
  const fields: Record<string, string> = {};
  for (const [input] of form.matchAll(/<input[^>]*>/gi)) {
    const name = attribute(input, 'name');
    if (name) fields[name] = attribute(input, 'value') ?? '';
  }
  return { action: new URL(action, page.url).href, fields };
}

function attribute(tag: string, name: string): string | null {
  const found = new RegExp(`\\s${name}="([^"]*)"`, 'i').exec(tag)?.[1];
  return found?.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&') ?? null;
}

export function expectLocation(page: Page, part: string): string {
  if (page.location?.includes(part)) return page.location;
  throw new Error(`${page.url} answered ${describePage(page)}; a redirect to ${part} was due.`);
}

export function describePage({ status, location }: Page): string {
  return location ? `${status} to ${location}` : String(status);
}
