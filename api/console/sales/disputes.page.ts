import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  DisputeLine,
  DisputePage,
} from '../../../domain/billing/disputes/dispute-list.repository.ts';
import {
  isDisputeOpen,
  type DisputeStatus,
} from '../../../domain/billing/disputes/dispute-status.ts';
import type { View } from '../../http/route.ts';
import { shortInstant, shortDay } from '../../html/dates.ts';
import { mailLink } from '../../html/mail-link.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { button } from '../../html/parts/button.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { pill } from '../../html/parts/pill.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { purchasesPath } from './purchase-labels.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';

type Props = {
  product: FramedProduct;
  found: DisputePage;
  before: string | null;
  /** The address that sellers write to. */
  support: string;
  /** The processor's page for whoever may answer there. */
  answerPageOf: (processorId: string) => string | null;
};

const PILLS: Record<DisputeStatus, Parameters<typeof pill>[0]> = {
  warning: { word: 'Bank asked', tone: 'warn', isLive: true },
  open: { word: 'Disputed', tone: 'bad', isLive: true },
  won: { word: 'Won', tone: 'ok' },
  lost: { word: 'Lost', tone: 'neutral' },
  closed: { word: 'Closed', tone: 'neutral' },
};

const WORDS: Record<DisputeStatus, string> = {
  warning: 'The bank asked about the payment. The buyer keeps access.',
  open: 'The buyer keeps access until the bank decides.',
  won: 'You keep the payment.',
  lost: 'The payment was returned to the buyer.',
  closed: 'Closed without a dispute.',
};

export function disputesPage(props: Props): View {
  const { product, found, before } = props;
  const isEmpty = found.lines.length === 0 && before === null;
  return {
    title: `Disputes of ${product.name}`,
    ...productFrame(product, '/disputes', 'Disputes'),
    content: html`${isEmpty ? '' : help(props)} ${list(props)}`,
  };
}

const NO_DISPUTES = {
  title: 'No disputes',
  sentence:
    'When a buyer disputes a payment with their bank, it appears here and you get an email.',
};

function help({ support }: Props): HtmlSafeString {
  return note({
    tone: 'info',
    sentence: 'Our operators answer the bank for you.',
    more: html`Send what shows that the buyer got the product, with the id of the purchase, before
    the due date to ${mailLink(support)}.`,
  });
}

function list(props: Props): HtmlSafeString {
  const { product, found, before } = props;
  return listCard({
    label: 'Disputes',
    rows: found.lines,
    empty: NO_DISPUTES,
    columns: {
      Buyer: ({ handle, purchaseId, reason }: DisputeLine) =>
        html`<a href="${purchasesPath(product.slug)}/${purchaseId}">@${handle}</a><br /><small
            >${sentenceCase(reason)}</small
          >`,
      State: { cell: mark, onPhone: 'state' },
      'Outcome (UTC)': outcome,
      Amount: {
        cell: ({ amountMinor, currency }) => money(amountMinor, currency),
        isNumber: true,
      },
      Opened: { cell: ({ createdAt }) => shortDay(createdAt), isNumber: true },
      'Answer by (UTC)': { cell: (line) => answer(line, props), isNumber: true },
    },
    pages: { path: `${productPath(product.slug)}/disputes`, before, next: found.next },
  });
}

function mark({ status }: DisputeLine): HtmlSafeString {
  return html`<span data-dispute="${status}">${pill(PILLS[status])}</span>`;
}

function answer({ status, dueAt, processorId }: DisputeLine, { answerPageOf }: Props) {
  if (!isDisputeOpen(status)) return '–';
  const url = answerPageOf(processorId);
  const due = dueAt === null ? 'Not known' : shortInstant(dueAt);
  if (url === null) return due;
  return html`${due}<br />${button({ text: 'Answer the bank', size: 'small', href: url, isExternal: true })}`;
}

function outcome({ status, settledAt }: DisputeLine): HtmlSafeString {
  return html`${WORDS[status]}
  ${settledAt === null ? '' : html`<br /><small>${shortInstant(settledAt)}</small>`}`;
}
