// Pages of the reference that hold for every operation.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { ERRORS, type ErrorCode } from '../http/errors.ts';
import { LIMITS } from '../http/limits.ts';
import type { View } from '../http/route.ts';
import { toProgram } from '../html/highlight.ts';
import { writeCount } from '../html/numbers.ts';
import { trail } from '../html/parts/page-head.ts';
import { code } from '../html/parts/code.ts';
import { table } from '../html/table.ts';
import { REFERENCE, referenceFrame } from './docs-frame.ts';
import type { Reference } from './reference.ts';

/** What a program does about each error. */
const ADVICE: Record<ErrorCode, string> = {
  invalid_request: 'Correct the request. The field param names the parameter.',
  unauthorized: 'Read the message: it says what is wrong with the credential.',
  forbidden: 'Use a credential that may do this.',
  insufficient_scope: 'Send the person through sign-in again with the scope.',
  not_found: 'Check the address. The person or the client may be gone.',
  conflict: 'Read again, and repeat the change.',
  method_not_allowed: 'The header allow lists the methods of the path.',
  payload_too_large: 'Send less: a body has at most 64 KiB.',
  unsupported_media_type: 'Send the type that the operation names.',
  rate_limited: 'Wait as many seconds as retry-after says.',
  internal_error: 'Try again with growing waits. Quote x-request-id to us.',
  unavailable: 'Try again with growing waits, after retry-after where it is sent.',
};

const EXAMPLE = JSON.stringify(
  {
    error: 'invalid_request',
    message: 'user_id: must be given once, as a UUID',
    param: 'user_id',
    request_id: 'req_5Hq2mWc8Zt0RkYb7LxN3vJ9d',
  },
  null,
  2,
);

export function errorsPage(reference: Reference): View {
  return everything(reference, {
    path: `${REFERENCE}/errors`,
    title: 'Errors',
    lede: 'Branch on error: it is one of these codes. The message is for people, and its text may change.',
    content: html`${code({ id: 'error', programs: [toProgram('json', EXAMPLE)] })}
      <h2>Codes</h2>
      ${table({
        label: 'Codes',
        rows: Object.keys(ERRORS) as ErrorCode[],
        columns: {
          Code: (name) => html`<code>${name}</code>`,
          Status: (name) => String(ERRORS[name].status),
          'What to do': (name) => ADVICE[name],
        },
        empty: '',
      })}
      <p>
        The operations of sign-in answer as OAuth 2.0 does, with <code>error</code> and
        <code>error_description</code>. Every response has an <code>x-request-id</code>: quote it
        when you ask for help.
      </p>`,
  });
}

/** The limits of the operations that the reference describes. */
const SHOWN = {
  api_reads: 'Check access and Get the profile, together',
  usage_reports: 'Report usage',
  token: 'Exchange a code',
  revoke: 'Revoke a token',
  client_unproven: 'Token requests without proof',
  unknown_credential: 'Requests without a valid credential',
  authorize: 'Start sign-in',
  buy: 'Start the hosted checkout',
  badge: 'Get the badge',
} as const;

const SCOPES = { credential: 'credential', address: 'IP address', client_id: 'client' } as const;

export function limitsPage(reference: Reference): View {
  return everything(reference, {
    path: `${REFERENCE}/limits`,
    title: 'Limits',
    lede: 'A limit counts the requests within one minute of the clock, and begins anew with the next.',
    content: html`${table({
        label: 'Limits',
        rows: Object.entries(SHOWN) as [keyof typeof SHOWN, string][],
        columns: {
          Requests: ([, words]) => words,
          'A minute': {
            isNumber: true,
            cell: ([name]) => writeCount(LIMITS[name].perMinute),
          },
          'For each': ([name]) => SCOPES[LIMITS[name].scope],
        },
        empty: '',
      })}
      <h2>Headers</h2>
      <p>
        <code>ratelimit-limit</code>, <code>ratelimit-remaining</code> and
        <code>ratelimit-reset</code> come with each answer that a limit counts. Past the limit the
        answer is 429 with <code>retry-after</code>, the seconds to wait.
      </p>
      <p>
        To ask about access on every page, keep answers for up to 60 seconds, as the
        <a href="/docs/access#a-gate">gate</a> of the guide does.
      </p>`,
  });
}

/** The words of these pages, for the search. */
export const TABLE_WORDS = [
  { path: `${REFERENCE}/errors`, title: 'Errors', text: wordsOf(Object.entries(ADVICE)) },
  {
    path: `${REFERENCE}/limits`,
    title: 'Limits',
    text: wordsOf([
      ['Rate limits of requests', 'for each credential, client or IP address'],
      ['Headers', 'ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after'],
      ['Requests', Object.values(SHOWN).join(', ')],
    ]),
  },
];

function wordsOf(rows: [string, string][]): string {
  return rows.map(([name, words]) => `${name}: ${words}`).join(' ');
}

type Everything = { path: string; title: string; lede: string; content: HtmlSafeString };

function everything(reference: Reference, { path, title, lede, content }: Everything): View {
  return {
    ...referenceFrame(reference, path, 'reference'),
    title,
    description: lede,
    content: html`<article class="guide docs-front">
      ${trail([{ path: REFERENCE, label: 'API reference' }, { label: 'Everything' }])}
      <h1>${title}</h1>
      <p class="lede">${lede}</p>
      ${content}
    </article>`,
  };
}
