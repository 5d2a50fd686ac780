import { parseUuid } from '../../platform/ids.ts';
import type { TokenSigner } from '../../platform/secrets.ts';

const TOKEN = /^([0-9a-f-]{36})\.([\w-]{43})$/;

/** The id of a mail and our signature over it: nothing of it is stored. */
export function makeMailToken(signer: TokenSigner, mailId: string): string {
  return `${mailId}.${signer.sign('mail_link', mailId)}`;
}

/** The id of the mail that a token came with, or null for one that we did not make. */
export function readMailToken(signer: TokenSigner, token: string): string | null {
  const [, id = '', signature = ''] = TOKEN.exec(token) ?? [];
  return parseUuid(id) !== null && signer.isSigned('mail_link', id, signature) ? id : null;
}
