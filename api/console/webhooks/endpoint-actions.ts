// What is done with one endpoint: its forms, each behind what it says.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { EndpointEntry } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { SUBSCRIBABLE } from '../../../domain/webhooks/events.schema.ts';
import { select } from '../../html/parts/field.ts';
import { instant } from '../../html/dates.ts';
import { hiddenSecret } from '../../html/copy.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { button } from '../../html/parts/button.ts';
import { cardFold, fold } from '../../html/parts/fold.ts';
import { targetFields, type Draft } from './endpoint-form.ts';
import { endpointPath } from './endpoints.page.ts';

type Where = {
  product: { slug: string };
  endpoint: EndpointEntry;
  formToken: string;
};

/** The days for which the old secret signs too; most endpoints need one. */
export const WINDOW_DAYS = ['0', '1', '2', '3', '4', '5', '6', '7'] as const;
const USUAL_DAYS = '1';

export const TARGET = 'edit';

function form(where: Where, path: string, content: HtmlSafeString): HtmlSafeString {
  const { product, endpoint, formToken: token } = where;
  return html`<form method="post" action="${endpointPath({ product, ...endpoint })}${path}">
    ${formToken(token)} ${content}
  </form>`;
}

export function exampleFold(where: Where) {
  const options = SUBSCRIBABLE.map(({ name }) => ({ value: name, label: name }));
  const content = html`<p>
      An example has made-up data: its person and its purchase do not exist. Your server cannot tell
      it from a real event by its envelope or signature. The console marks its delivery.
    </p>
    ${select({ label: 'Event', name: 'event', options })} ${button({ text: 'Send example' })}`;
  return cardFold({
    id: 'example',
    title: 'Send an example',
    fact: 'Five tests and examples in ten minutes',
    content: form(where, '/test', content),
  });
}

export function targetFold(where: Where & { draft: Draft }) {
  const { draft } = where;
  return cardFold({
    id: TARGET,
    title: 'Edit address and events',
    fact: 'Pending deliveries go to the new address too',
    isOpen: Object.keys(draft.problems).length > 0,
    content: form(where, '', html`${targetFields(draft)} ${button({ text: 'Save endpoint' })}`),
  });
}

export function secretActions(where: Where): HtmlSafeString {
  return html`${hiddenSecret('whsec_')}
  ${form(where, '/secret', button({ text: 'Show secret', icon: 'eye' }))}
  ${fold({
    summary: 'Rotate secret',
    sentence: html`After you rotate, we sign with a new secret. We also sign with the current
      secret, in <code>service-signature-previous</code>, for as long as you choose.`,
    content: form(where, '/rotate', rotation(where.endpoint)),
  })}`;
}

function rotation({ secretVersion, previousUntil }: EndpointEntry) {
  return html`<input type="hidden" name="replaces" value="${secretVersion}" /> ${
      previousUntil === null
        ? ''
        : html`<p>
            We sign with the previous secret until ${instant(previousUntil)}. If you rotate now,
            that stops immediately.
          </p>`
    }
    ${select({
      label: 'Keep signing with the current secret',
      name: 'window_days',
      value: USUAL_DAYS,
      options: WINDOW_DAYS.map((days) => ({ value: days, label: describeWindow(Number(days)) })),
    })}
    ${button({ text: 'Rotate secret' })}`;
}

function describeWindow(days: number): string {
  if (days === 0) return 'No, it has leaked';
  return days === 1 ? 'For 24 hours' : `For ${days} days`;
}

export function stateAction(where: Where): HtmlSafeString {
  const isEnabled = where.endpoint.disabledAt === null;
  const press = isEnabled
    ? button({ text: 'Disable endpoint', name: 'action', value: 'disable' })
    : button({ text: 'Enable endpoint', name: 'action', value: 'enable', kind: 'primary' });
  return html`${form(where, '/state', press)}
    <p>
      <small
        >${
          isEnabled
            ? 'While it is disabled, we keep new events and send none.'
            : 'Once it is enabled, we send new events again. To send the held deliveries, recover them.'
        }</small
      >
    </p>`;
}

export function deletion(where: Where): HtmlSafeString {
  return form(
    where,
    '/state',
    fold({
      summary: 'Delete endpoint',
      isDangerous: true,
      sentence: "Pending deliveries are cancelled, and nothing more is sent. This can't be undone.",
      content: button({ text: 'Delete endpoint', name: 'action', value: 'delete', kind: 'danger' }),
    }),
  );
}
