import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  AttemptLine,
  DeliveryDetail,
} from '../../../domain/webhooks/deliveries/delivery.repository.ts';
import type { View } from '../../http/route.ts';
import { smallButton } from '../../html/form.ts';
import { factList } from '../../html/parts/facts.ts';
import { writeCount } from '../../html/numbers.ts';
import { instant } from '../../html/dates.ts';
import { copyable } from '../../html/copy.ts';
import { card } from '../../html/parts/card.ts';
import { prettyJson } from '../../html/highlight.ts';
import { code } from '../../html/parts/code.ts';
import { note } from '../../html/parts/note.ts';
import { withAside } from '../../html/parts/beside.ts';
import { blockNotice } from '../../html/notices.ts';
import { productFrame, type FramedProduct, productPath } from '../console-frame.ts';
import { attemptTimeline, HIDDEN } from './attempt-timeline.ts';
import { endpointPath } from './endpoints.page.ts';
import { deliveryPill, examplePill, shownAddress } from './delivery-labels.ts';
import { trailTo } from './recoveries.page.ts';

type DeliveryProps = {
  product: FramedProduct;
  delivery: DeliveryDetail;
  attempts: AttemptLine[];
  /** Is null where there is no workflow, or no page for it. */
  workflowUrl: string | null;
  /** Whether the viewer may read the body and the response. */
  mayReadPayloads: boolean;
  /** Why this person may not retry; null where they may. */
  blockReason: string | null;
  formToken: string;
};

export function deliveryPage(props: DeliveryProps): View {
  const { product, delivery } = props;
  return {
    title: `${delivery.eventName}, a delivery of ${product.name}`,
    hasCopyButtons: true,
    ...productFrame(product, '/deliveries', delivery.eventName, {
      trail: trailTo(product),
      state: html`${deliveryPill(delivery.status)} ${examplePill(delivery)}`,
      actions: retryForm(props),
    }),
    content: html`
      ${trouble(props)} ${retryReason(props)}
      ${withAside(
        html`${card({ title: 'Attempts', body: attemptTimeline(props) })}
        ${card({ title: 'Body', facts: bodyFacts(delivery), body: sent(props) })}`,
        card({ title: 'Delivery', body: facts(props) }),
      )}
    `,
  };
}

/** What the person has to know or do before they read on. */
function trouble({ product, delivery, blockReason }: DeliveryProps): HtmlSafeString | '' {
  const { status, endpointState, endpointId } = delivery;
  if (delivery.isAwaited) return AWAITED;
  const recoveries = `${productPath(product.slug)}/recoveries?endpoint=${endpointId}`;
  const recover = html`<a href="${recoveries}">recover all that it missed</a>`;
  const enable = html`<a href="${endpointPath({ product, endpointId })}">Enable the endpoint</a>`;
  if (endpointState === 'deleted' && status !== 'succeeded') return note(DELETED);
  if (endpointState === 'disabled' && status !== 'succeeded') {
    return note({
      tone: 'warn',
      sentence: 'The endpoint is disabled.',
      more: html`${enable}, then ${recover}.`,
    });
  }
  if (status === 'held') {
    return note({
      tone: 'warn',
      sentence: 'The endpoint was disabled when this was due.',
      more: html`It is enabled now: ${recover}.`,
    });
  }
  if (status !== 'dead') return '';
  return note({
    tone: 'bad',
    sentence: 'All attempts failed, and no more will be made.',
    more: blockReason ?? html`Fix your server, then retry this delivery or ${recover}.`,
  });
}

const DELETED = {
  tone: 'plain',
  sentence: 'The endpoint was deleted.',
  more: 'Nothing more is sent to it.',
} as const;

const AWAITED = html`<div data-awaited>
  ${note({
    tone: 'info',
    sentence: 'An attempt is due.',
    more: 'This page looks again until it is recorded, for a quarter of an hour at most.',
  })}
</div>`;

function facts({ product, delivery, workflowUrl }: DeliveryProps) {
  const { deliveryId, endpointId, url, endpointState, createdAt, finishedAt, run } = delivery;
  const address = html`${
    endpointState === 'deleted'
      ? html`<span class="cut">${shownAddress(url)}</span>`
      : html`<a class="cut" href="${endpointPath({ product, endpointId })}"
          >${shownAddress(url)}</a
        >`
  }
  ${endpointState === 'enabled' ? '' : `(${endpointState})`}`;
  return factList(
    [
      ['ID', copyable({ id: 'delivery-id', label: 'delivery ID', text: deliveryId, isLine: true })],
      ['Endpoint', address],
      ['Created', instant(createdAt)],
      finishedAt && ['Finished', instant(finishedAt)],
      run !== 1 && ['Sent again', run === 2 ? 'Once' : `${run - 1} times`],
      workflowUrl !== null && [
        'Workflow',
        html`<a href="${workflowUrl}" rel="noreferrer">Workflow in Temporal</a>`,
      ],
    ],
    'above',
  );
}

function bodyFacts({ body }: DeliveryDetail): string {
  return `${writeCount(body.length)} bytes, the same on every attempt`;
}

function sent({ delivery, mayReadPayloads }: DeliveryProps): HtmlSafeString {
  if (!mayReadPayloads) return html`<p>${HIDDEN}</p>`;
  const text = delivery.body.toString('utf8');
  return code({
    id: 'payload',
    programs: [
      { language: 'Formatted', text: prettyJson(text) },
      { language: 'As signed', text },
    ],
  });
}

/** The one button that the status allows. */
function retryForm(props: DeliveryProps): HtmlSafeString | '' {
  const { product, delivery, blockReason } = props;
  const { status, run, step, endpointState } = delivery;
  const press = BUTTONS[status];
  if (press === undefined || endpointState !== 'enabled' || blockReason !== null) return '';
  return smallButton({
    action: `${productPath(product.slug)}/deliveries/${delivery.deliveryId}${press.path}`,
    token: props.formToken,
    hidden: { run: String(run), ...(status === 'retrying' && { step: String(step) }) },
    button: press.text,
    isMain: status !== 'succeeded',
  });
}

/** Why the button is missing; that of a dead delivery stands in its note. */
function retryReason({ delivery, blockReason }: DeliveryProps): HtmlSafeString | '' {
  const { status, endpointState } = delivery;
  const hasButton = BUTTONS[status] !== undefined && endpointState === 'enabled';
  return hasButton && status !== 'dead' ? blockNotice(blockReason) : '';
}

type Press = { text: string; path: string };

const BUTTONS: Partial<Record<DeliveryDetail['status'], Press>> = {
  dead: { text: 'Retry delivery', path: '/retry' },
  succeeded: { text: 'Send again', path: '/retry' },
  retrying: { text: 'Retry now', path: '/retry-now' },
};
