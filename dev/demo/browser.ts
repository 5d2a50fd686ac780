// As much of a browser as a purchase without JavaScript needs: cookies, links, forms, one redirect at a time.

export type Page = { url: string; status: number; location: string | null; html: string };

export function createBrowser() {
  const jars = new Map<string, Map<string, string>>();

  async function visit(url: string, form?: Record<string, string>): Promise<Page> {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { ...(cookie ? { cookie } : {}), ...(form ? { origin } : {}) },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value.join('='));
    }
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      location: location && new URL(location, url).href,
      html: await response.text(),
    };
  }

  return { visit };
}

/** The named fields of the page's form: what a browser would send untouched. */
export function readForm(page: Page): { action: string; fields: Record<string, string> } {
  const form = /<form[^>]*method="post"[^>]*>[\s\S]*?<\/form>/i.exec(page.html)?.[0] ?? '';
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
