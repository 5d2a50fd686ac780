import type { SeedPerson } from '../catalog/seed.ts';

export type Browser = {
  cookies: Map<string, string>;
  /** One request with the browser's cookies; redirects are answers. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Submits a form of the page at the path, its hidden token included; a page stays open for more. */
  submit(path: string, form: FormSubmission): Promise<Response>;
  /** The page behind a response: the one that it leads to, or its own. */
  follow(response: Response): Promise<Response>;
  signIn(person: Pick<SeedPerson, 'email' | 'password'>): Promise<Response>;
};

type FormSubmission = {
  action: string;
  /** A field with several values is a list; with a file, the form is an upload. */
  fields?: Record<string, string | readonly string[] | File>;
  headers?: Record<string, string>;
};

/** Packing and unpacking a page costs more than making it: whoever tests that asks for an encoding. */
export function fetchPlain(url: URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
  return fetch(url, { redirect: 'manual', ...init, headers });
}

/**
 * A person's browser as far as our pages need one: cookies, and forms with their hidden token. Behind a
 * proxy the origin of a page is not the address of the process.
 */
export function createBrowser(url: string, origin = url): Browser {
  const cookies = new Map<string, string>();

  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetchPlain(new URL(path, url), { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  // The page stays open: while its session is the same, so is what its forms prove.
  const open = { page: '', csrf: '' };

  async function openForm(path: string): Promise<string> {
    const pageNow = () => `${path} ${[...cookies].filter(([name]) => name.endsWith('session'))}`;
    if (open.csrf !== '' && open.page === pageNow()) return open.csrf;
    const page = await (await send(path)).text();
    open.csrf = /name="csrf" value="([^"]*)"/.exec(page)?.[1] ?? '';
    open.page = pageNow();
    return open.csrf;
  }

  async function submit(path: string, { action, fields = {}, headers }: FormSubmission) {
    const csrf = await openForm(path);
    const isUpload = Object.values(fields).some((given) => given instanceof File);
    const body = isUpload ? new FormData() : new URLSearchParams();
    body.set('csrf', csrf);
    for (const [name, given] of Object.entries(fields)) {
      body.delete(name);
      const values = typeof given === 'string' || given instanceof File ? [given] : given;
      for (const value of values) body.append(name, value as string);
    }
    return send(action, { method: 'POST', body, headers: { origin, ...headers } });
  }

  return {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    submit,
    async follow(response) {
      const location = response.headers.get('location');
      return location === null ? response : send(location);
    },
    signIn: ({ email, password }) =>
      submit('/sign-in', { action: '/sign-in', fields: { email, password } }),
  };
}
