import { html } from '@prairielearn/html';
import type { ErrorCode, HttpError } from '../http/errors.ts';
import type { View } from '../http/route.ts';
import { gate } from './emblems.ts';
import { button } from './parts/button.ts';

const TITLES: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'Please sign in',
  forbidden: 'Not allowed',
  not_found: 'There is nothing behind this gate',
  rate_limited: 'Too many tries, please wait',
  internal_error: 'Something went wrong',
  unavailable: 'Not available right now',
};

const NOTHING = 'There is nothing here.';

const SIGN_IN = { path: '/sign-in', label: 'Sign in' };
const STORE = { path: '/', label: 'Go to the store' };

type Props = { httpError: HttpError; requestId: string; isSignedIn: boolean };

export function errorPage({ httpError, requestId, isSignedIn }: Props): Omit<View, 'side'> {
  const title = TITLES[httpError.code] ?? 'That did not work';
  const isMissing = httpError.code === 'not_found';
  // The heading says already that nothing is there.
  const sentence = httpError.message.replace(NOTHING, 'Check the address, or go on from here.');
  const next = httpError.next ?? (httpError.code === 'unauthorized' ? SIGN_IN : STORE);
  return {
    title,
    area: 'account',
    content: html`<div class="empty">
      ${gate(httpError.code === 'rate_limited' ? 'busy' : 'shut')}
      <h1>${title}</h1>
      <p data-error="${httpError.code}">${sentence}</p>
      <div class="actions">
        ${button({ text: next.label, href: next.path, kind: 'primary' })}
        ${isSignedIn && isMissing ? button({ text: 'Console', href: '/console' }) : ''}
        ${isMissing ? button({ text: 'Search', href: '/search' }) : ''}
      </div>
      <small>${isMissing ? 'Request' : `${httpError.status}, request`} ${requestId}</small>
    </div>`,
  };
}
