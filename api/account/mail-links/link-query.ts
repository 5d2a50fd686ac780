import { z } from 'zod';
import { readMailToken } from '../../../domain/identity/mail/mail-link.ts';
import { findMailLink } from '../../../domain/identity/mail/mail-link.repository.ts';
import type { LinkPurpose } from '../../../domain/identity/mail/mail-purpose.ts';
import { page } from '../../http/response.ts';
import { OPEN_PAGE, type RouteContext } from '../../http/route.ts';
import { given, text } from '../../http/fields.ts';
import { deadLinkPage } from './mail-link.page.ts';

const LONGEST_TOKEN = 80;

/** Parses a link's query leniently: mail programs mangle links. */
const linkQuery = z.object({
  token: given(LONGEST_TOKEN).optional().catch(undefined),
});

/** The page that a link leads to. */
export const LINK_PAGE = {
  ...OPEN_PAGE,
  input: { query: linkQuery },
} as const;

export const linkToken = text(LONGEST_TOKEN);

/** The link as it stands in its row, with the token that led to it; null when it is dead. */
export async function findLink(
  { services, cookies }: Pick<RouteContext, 'services' | 'cookies'>,
  { token, purposes }: { token: unknown; purposes: readonly LinkPurpose[] },
) {
  const { signer, database } = services;
  const cookie = cookies.preSession;
  const id = typeof token === 'string' ? readMailToken(signer, { token, cookie }) : null;
  if (id === null) return null;
  const link = await findMailLink(database.em(), { id, purposes });
  return link && { ...link, id, token: String(token) };
}

/** Answers a link that was used, is over, or never was one. */
export function refuseDeadLink(context: RouteContext) {
  return page(context, deadLinkPage(), { status: 404 });
}
