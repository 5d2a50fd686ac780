import { parseUuid } from '../../shared/ids.ts';
import type { TokenSigner } from '../../shared/secrets.ts';

const TOKEN = /^([0-9a-f-]{36})\.([\w-]{43})$/;

/** Signs the id of a mail; nothing of it is stored. */
export function makeMailToken(signer: TokenSigner, mailId: string): string {
  return `${mailId}.${signer.sign('mail_link', mailId)}`;
}

/**
 * Makes a token for one browser, by its cookie: a link that is stored during sign-in opens nothing for
 * readers of the row.
 */
export function makeReturnToken(
  signer: TokenSigner,
  { mailId, cookie }: { mailId: string; cookie: string },
): string {
  return `${mailId}.${signer.sign('mail_return', `${mailId} ${cookie}`)}`;
}

/** Returns the id of the mail of a token, or null for a token that we did not make. */
export function readMailToken(
  signer: TokenSigner,
  { token, cookie }: { token: string; cookie: string | null },
): string | null {
  const [, id = '', signature = ''] = TOKEN.exec(token) ?? [];
  if (parseUuid(id) === null) return null;
  const isOurs =
    signer.isSigned('mail_link', id, signature) ||
    (cookie !== null && signer.isSigned('mail_return', `${id} ${cookie}`, signature));
  return isOurs ? id : null;
}
