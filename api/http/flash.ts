// Notices that the next page shows once. A signed cookie names the notice; the signature also
// covers the page's path, so that no link and no other page shows it.
import type { Context } from 'koa';
import type { TokenSigner } from '../../domain/shared/secrets.ts';
import { setCookie } from './cookies.ts';
import { isNotice, type Flash, type Notice } from '../html/notices.ts';
import type { Services } from '../services.ts';

const COOKIE = 'notice';
const MAX_AGE_S = 60;
/** The time that somebody may stay at the payment processor before they come back. */
const AWAY_MAX_AGE_S = 60 * 60;

export function keepFlash(
  ctx: Context,
  { config, signer }: Pick<Services, 'config' | 'signer'>,
  { notice, location, isAfterProcessor = false }: Flash,
): void {
  const maxAgeS = isAfterProcessor ? AWAY_MAX_AGE_S : MAX_AGE_S;
  const value = `${notice}.${signer.sign('notice', textOf(notice, pathOf(location)))}`;
  setCookie(ctx, config.baseUrl, { name: COOKIE, value, maxAgeS });
}

/** The notice for the page at this path; null where there is none, or one for another page. */
export function readFlash(
  ctx: Context,
  { signer, given }: { signer: TokenSigner; given: string | null },
): Notice | null {
  const [notice = '', signature = ''] = given?.split('.') ?? [];
  if (!isNotice(notice)) return null;
  return signer.isSigned('notice', textOf(notice, ctx.path), signature) ? notice : null;
}

/** A reload shows the page without it. */
export function dropFlash(ctx: Context, { config }: Pick<Services, 'config'>): void {
  setCookie(ctx, config.baseUrl, { name: COOKIE, value: '', maxAgeS: 0 });
}

function textOf(notice: Notice, path: string): string {
  return `${notice} ${path}`;
}

function pathOf(location: string): string {
  return location.split(/[?#]/, 1)[0]!;
}
