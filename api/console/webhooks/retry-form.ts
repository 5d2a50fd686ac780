import { html, type HtmlSafeString } from '@prairielearn/html';
import type { DeliveryDetail } from '../../../domain/webhooks/deliveries/delivery.repository.ts';
import { form } from '../../html/form.ts';
import { productPath } from '../console-frame.ts';

type Props = {
  product: { slug: string };
  delivery: DeliveryDetail;
  /** Why this person may not retry; null where they may. */
  blockReason: string | null;
  formToken: string;
};

/** The one button that the status allows. */
export function retryForm(props: Props): HtmlSafeString | '' {
  const { product, delivery, blockReason } = props;
  const { status, run, step, endpointState } = delivery;
  const press = BUTTONS[status];
  if (press === undefined || endpointState === 'deleted') return '';
  if (blockReason !== null) return html`<p class="muted">${blockReason}</p>`;
  if (endpointState === 'disabled') return html`<p class="muted">${press.text}: ${DISABLED}</p>`;
  return form({
    action: `${productPath(product.slug)}/deliveries/${delivery.deliveryId}${press.path}`,
    token: props.formToken,
    hidden: { run: String(run), ...(status === 'retrying' && { step: String(step) }) },
    button: press.text,
    note: html`<p><small>${press.note}</small></p>`,
  });
}

const DISABLED = 'The endpoint is disabled. Enable it first.';
const AGAIN = 'We send the same payload within a minute, then retry on the full schedule.';

type Press = { text: string; path: string; note: string };

const BUTTONS: Partial<Record<DeliveryDetail['status'], Press>> = {
  dead: { text: 'Retry', path: '/retry', note: AGAIN },
  succeeded: {
    text: 'Send again',
    path: '/retry',
    note: `${AGAIN} The ID stays the same, so a receiver that knows it ignores the delivery.`,
  },
  retrying: {
    text: 'Retry now',
    path: '/retry-now',
    note: 'We make the next retry at once. If it fails, the schedule continues.',
  },
};
