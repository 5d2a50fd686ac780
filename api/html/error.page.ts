import { html } from '@prairielearn/html';
import type { ErrorCode, HttpError } from '../errors.ts';
import type { View } from '../route.ts';

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

export function errorPage(props: { httpError: HttpError; requestId: string }): View {
  const { httpError, requestId } = props;
  const title = TITLES[httpError.code] ?? 'That did not work';
  const next = httpError.next ?? (httpError.code === 'unauthorized' ? SIGN_IN : STORE);
  return {
    title,
    content: html`
      <h1>${title}</h1>
      <p data-error="${httpError.code}">${httpError.message}</p>
      <p><a href="${next.path}">${next.label}</a></p>
      <p><small>Request ${requestId}</small></p>
    `,
  };
}
