import type { Services } from '../services.ts';

/** The cookie that a form's token is bound to. */
export type FormCookie = 'session' | 'pre_session';

/** The hidden field that proves that a form came from a page of ours in the same browser. */
export const FORM_TOKEN_FIELD = 'csrf';

export function signFormToken({ signer }: Services, kind: FormCookie, cookie: string): string {
  return signer.sign(`${kind}_form`, cookie);
}

export function isFormTokenRight(
  { signer }: Services,
  given: { kind: FormCookie; cookie: string | null; token: string },
): boolean {
  const { kind, cookie, token } = given;
  return cookie !== null && signer.isSigned(`${kind}_form`, cookie, token);
}
