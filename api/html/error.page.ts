import { html } from '@prairielearn/html';
import type { ErrorCode, HttpError } from '../http/errors.ts';
import type { View } from '../http/route.ts';

const TITLES: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'Please sign in',
  forbidden: 'Not allowed',
  not_found: 'Not found',
  rate_limited: 'Too many requests',
  internal_error: 'Something went wrong',
  unavailable: 'Not available right now',
};

const SIGN_IN = { path: '/sign-in', label: 'Sign in' };
const STORE = { path: '/', label: 'Back to the store' };

type Props = { httpError: HttpError; requestId: string; isSignedIn: boolean };

export function errorPage({ httpError, requestId, isSignedIn }: Props): View {
  const title = TITLES[httpError.code] ?? 'That did not work';
  const next = httpError.next ?? (httpError.code === 'unauthorized' ? SIGN_IN : STORE);
  return {
    title,
    content: html`
      <h1>${title}</h1>
      <p data-error="${httpError.code}">${httpError.message}</p>
      <ul class="links">
        <li><a href="${next.path}">${next.label}</a></li>
        ${isSignedIn && httpError.code === 'not_found' ? html`<li><a href="/console">Console</a></li>` : ''}
        ${httpError.code === 'not_found' ? html`<li><a href="/search">Search the store</a></li>` : ''}
      </ul>
      <p><small>Request ${requestId}</small></p>
    `,
  };
}
