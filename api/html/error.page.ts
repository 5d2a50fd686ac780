import { html } from '@prairielearn/html';
import type { ErrorCode, HttpError } from '../http/errors.ts';
import type { View } from '../http/route.ts';
import { gate } from './emblems.ts';

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
    area: 'account',
    content: html`<div class="empty">
      ${gate(httpError.code === 'rate_limited' ? 'busy' : 'shut')}
      <h1>${title}</h1>
      <p data-error="${httpError.code}">${httpError.message}</p>
      <div class="actions">
        <a class="button primary" href="${next.path}">${next.label}</a>
        ${isSignedIn && httpError.code === 'not_found' ? html`<a class="button" href="/console">Console</a>` : ''}
        ${httpError.code === 'not_found' ? html`<a class="button" href="/search">Search the store</a>` : ''}
      </div>
      <small class="muted">Request ${requestId}</small>
    </div>`,
  };
}
