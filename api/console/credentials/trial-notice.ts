// What is open to a builder before the verification, and what waits for it.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { ONCE_VERIFIED, VERIFICATION } from '../../html/notices.ts';
import { note } from '../../html/parts/note.ts';

const WORDS = {
  keys: {
    open: 'You can create and rotate test keys now.',
    waits: `You can create, rotate and revoke live keys ${ONCE_VERIFIED}`,
  },
  clients: {
    open: 'You can create clients whose redirect URIs are all on localhost, 127.0.0.1 or [::1] now.',
    waits: `You can create and change other clients ${ONCE_VERIFIED}`,
  },
  endpoints: {
    open: 'You can add and manage endpoints on localhost, 127.0.0.1 or [::1] now.',
    waits: `You can add and change other endpoints, and send tests and retries, ${ONCE_VERIFIED}`,
  },
} as const;

export const LIVE_KEYS_WAIT = WORDS.keys.waits;
export const LIVE_CLIENTS_WAIT = WORDS.clients.waits;
export const LIVE_ENDPOINTS_WAIT = WORDS.endpoints.waits;

export function trialNotice(about: keyof typeof WORDS): HtmlSafeString {
  const { open, waits } = WORDS[about];
  return html`<div role="status" data-trial>
    ${note({
      tone: 'info',
      sentence: open,
      more: html`${waits} <a href="${VERIFICATION}">Verification</a>`,
    })}
  </div>`;
}
