import { html } from '@prairielearn/html';
import type { ErrorCode, Failure } from '../errors.ts';
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

export function failurePage(props: { failure: Failure; requestId: string }): View {
  const { failure, requestId } = props;
  const title = TITLES[failure.code] ?? 'That did not work';
  const next = failure.next ?? (failure.code === 'unauthorized' ? SIGN_IN : STORE);
  return {
    title,
    content: html`
      <h1>${title}</h1>
      <p data-error="${failure.code}">${failure.message}</p>
      <p><a href="${next.path}">${next.label}</a></p>
      <p><small>Request ${requestId}</small></p>
    `,
  };
}
