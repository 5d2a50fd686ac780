// The words of imports: their states, and why they found nothing.
import type { HtmlSafeString } from '@prairielearn/html';
import type { FoundField } from '../../../domain/catalog/imports/import-findings.ts';
import type {
  ImportKind,
  ImportRefusal,
  ImportState,
} from '../../../domain/catalog/imports/import-state.ts';
import type { PictureProblem } from '../../../domain/catalog/imports/taken-pictures.ts';
import { pill } from '../../html/parts/pill.ts';

export const KIND_WORDS: Record<ImportKind, string> = { page: 'Page', repository: 'Repository' };

/** The fields as the form of a listing calls them. */
export const FOUND_LABELS: Record<FoundField, string> = {
  name: 'Name',
  tagline: 'Tagline',
  description: 'Description',
  tags: 'Tags',
  websiteUrl: 'Website',
  docsUrl: 'Documentation',
  sourceUrl: 'Source code',
  changelogUrl: 'Changelog',
};

const STATES: Record<ImportState, Parameters<typeof pill>[0]> = {
  queued: { word: 'Queued', tone: 'info' },
  fetching: { word: 'Reading', tone: 'info', isLive: true },
  waiting: { word: 'Waiting', tone: 'warn' },
  ready: { word: 'Ready', tone: 'ok' },
  refused: { word: 'Nothing read', tone: 'bad' },
  applying: { word: 'Adding pictures', tone: 'info', isLive: true },
  applied: { word: 'Applied', tone: 'ok' },
  expired: { word: 'Expired', tone: 'neutral' },
};

export function importPill(state: ImportState): HtmlSafeString {
  return pill({ ...STATES[state], state });
}

type Refused = { sentence: string; more: string };

/** Each says what to do. */
export const REFUSALS: Record<ImportRefusal, Refused> = {
  address_refused: {
    sentence: 'We do not read this address.',
    more: 'Enter one without a user name, and without a port that belongs to another service.',
  },
  unreachable: {
    sentence: 'Nobody answers at this address.',
    more: 'Check that everyone can open it, then read it again.',
  },
  tls_failed: {
    sentence: 'The certificate of this address is not valid.',
    more: 'Renew it, then read the address again.',
  },
  timed_out: {
    sentence: 'This address took longer than 8 seconds.',
    more: 'Read it again, or enter a smaller page.',
  },
  bad_redirect: {
    sentence: 'This address leads on to something that is no address.',
    more: 'Enter the address at which it ends.',
  },
  redirect_loop: {
    sentence: 'This address leads back to itself.',
    more: 'Enter the address at which the page is.',
  },
  too_many_redirects: {
    sentence: 'This address leads on too often.',
    more: 'Enter the address at which it ends.',
  },
  wrong_type: {
    sentence: 'There is no page at this address.',
    more: 'Enter the address of a page, not of a file.',
  },
  unreadable_body: {
    sentence: 'What this address says cannot be read.',
    more: 'Check that a browser shows it, then read it again.',
  },
  not_found: {
    sentence: 'Visitors find nothing at this address.',
    more: 'Check it for a typing error. We read only what everyone can see.',
  },
  too_large: {
    sentence: 'The head of this page is longer than 600 KB.',
    more: 'Make it shorter, or enter another page of your product.',
  },
  forge_busy: {
    sentence: 'The site of this repository allowed us no request for three days.',
    more: 'Read it again, or type the releases by hand.',
  },
};

export const PICTURE_PROBLEMS: Record<PictureProblem, string> = {
  address_refused: 'We do not read this address.',
  unreachable: 'Nobody answers at this address.',
  tls_failed: 'The certificate of this address is not valid.',
  timed_out: 'It took longer than 8 seconds.',
  bad_redirect: 'It leads on to something that is no address.',
  redirect_loop: 'It leads back to itself.',
  too_many_redirects: 'It leads on too often.',
  wrong_type: 'It is no PNG, JPEG or WebP.',
  unreadable_body: 'It cannot be read.',
  not_found: 'Visitors find nothing there.',
  too_large: 'It is too large: upload a smaller one.',
  no_picture: 'It is no PNG, JPEG or WebP.',
  too_many: 'A product has at most 8 screenshots.',
  too_many_today: 'Too many pictures were added within 24 hours: upload it tomorrow.',
  taken_down: 'An operator took this picture down.',
  not_allowed: 'The person who applied it may no longer edit this listing.',
};
