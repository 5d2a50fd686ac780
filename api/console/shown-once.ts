// A key or a secret that a page shows once. After the form it waits in an encrypted cookie, which opens
// in the same session on the same page alone, and which that page ends: a reload repeats no form and
// shows no secret. Each has a cookie of its own, so that two tabs do not take each other's.
import { readCookie, type Cookie } from '../http/cookies.ts';
import { redirect } from '../http/response.ts';
import type { RouteContext } from '../http/route.ts';

const MAX_AGE_S = 60;
const IS_ID = /^[\w-]{1,40}$/;

type Fresh<Shown> = { path: string; id: string; shown: Shown };

/** Leads to the page that shows it. The id names the key, client or endpoint in the page's address. */
export function showOnce<Shown extends object>(
  context: RouteContext,
  { path, id, shown }: Fresh<Shown>,
) {
  const { encryptor } = context.services;
  const text = JSON.stringify({ until: Date.now() + MAX_AGE_S * 1_000, shown });
  const value = encryptor.encrypt(text, placeOf(context, { path, id }));
  const cookies = [{ name: nameOf(id), value, maxAgeS: MAX_AGE_S }];
  return redirect(`${path}?shown=${id}`, { cookies });
}

/** What a page shows when `showOnce` has led to it. */
export type Arrival<Shown> = {
  /** Is null once it has been shown. */
  shown: Shown | null;
  cookies: Cookie[];
};

/** Returns null on every other page. */
export function readShown<Shown extends object>(context: RouteContext): Arrival<Shown> | null {
  const { ctx, services } = context;
  const id = ctx.query['shown'];
  if (typeof id !== 'string' || !IS_ID.test(id)) return null;
  const encrypted = readCookie(ctx, services.config.baseUrl, nameOf(id));
  if (encrypted === null) return { shown: null, cookies: [] };
  const shown = open<Shown>(context, { encrypted, id });
  return { shown, cookies: [{ name: nameOf(id), value: '', maxAgeS: 0 }] };
}

function open<Shown>(
  context: RouteContext,
  { encrypted, id }: { encrypted: string; id: string },
): Shown | null {
  const place = placeOf(context, { path: context.ctx.path, id });
  try {
    const text = context.services.encryptor.decrypt(encrypted, place);
    const { until, shown } = JSON.parse(text) as { until: number; shown: Shown };
    return Date.now() < until ? shown : null;
  } catch {
    // Of another session or page, or not ours.
    return null;
  }
}

function placeOf({ cookies }: RouteContext, { path, id }: { path: string; id: string }) {
  return { column: 'cookie.shown_once', rowId: `${cookies.session}\n${path}\n${id}` } as const;
}

function nameOf(id: string): string {
  return `shown_${id}`;
}
