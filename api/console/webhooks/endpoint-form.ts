// Address and events of an endpoint, as its two forms ask for them.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { z } from 'zod';
import { isSameServer } from '../../../domain/shared/loopback.ts';
import type { UrlRefusal } from '../../../domain/shared/public-address.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import type { Target } from '../../../domain/webhooks/endpoints/endpoint.repository.ts';
import { SUBSCRIBABLE, type SubscribableName } from '../../../domain/webhooks/events.schema.ts';
import { text } from '../../http/fields.ts';
import { field } from '../../html/parts/field.ts';
import { ONCE_VERIFIED } from '../../html/notices.ts';
import type { Services } from '../../services.ts';

const NAMES = SUBSCRIBABLE.map(({ name }) => name) as [SubscribableName, ...SubscribableName[]];
const name = z.enum(NAMES);

/** A box that is not ticked is not sent, one that is ticked alone is no list. */
const ticked = z
  .union([name.transform((one) => [one]), z.array(name)])
  .default([])
  .transform((given) => NAMES.filter((known) => given.includes(known)));

export const targetForm = z.object({ url: text(2_048), events: ticked });

type TargetInput = z.output<typeof targetForm>;

export type Draft = {
  url: string;
  events: readonly string[];
  problems: { url?: string; events?: string };
};

/** A new endpoint begins with every event; events that are added later are off for it. */
export const EMPTY_DRAFT: Draft = { url: '', events: NAMES, problems: {} };

const PROBLEMS: Record<UrlRefusal, string> = {
  not_a_url: 'Enter a full URL, such as https://example.com/webhooks.',
  too_long: 'A URL can have at most 2,048 characters.',
  scheme: 'The URL must start with https://.',
  credentials: 'Leave out the user name and password. Verify our signature instead.',
  port: 'Webhooks cannot use this port.',
  not_public: 'The URL must have a public address.',
};
const OWN =
  'This is an address of Gatehouse itself. Enter the address at which your own server listens.';
const NO_EVENT = 'Choose at least one event.';

/** The values to store, or the validation messages. */
export function validateTarget(
  typed: TargetInput,
  { addresses, config }: Pick<Services, 'addresses' | 'config'>,
): { target: Target } | { draft: Draft } {
  const url = addresses.validateUrl(typed.url);
  const problems: Draft['problems'] = {};
  if (isRefusal(url)) problems.url = PROBLEMS[url.refused];
  else if (isSameServer(url, new URL(config.baseUrl))) problems.url = OWN;
  if (typed.events.length === 0) problems.events = NO_EVENT;
  if (isRefusal(url) || problems.url || problems.events) return { draft: { ...typed, problems } };
  return { target: { url: url.href, events: typed.events } };
}

const URL_REFUSALS: Record<'duplicate' | 'not_loopback', string> = {
  duplicate:
    'Another endpoint of this product has this URL, so each event would arrive twice. Change the events of that one instead.',
  not_loopback: `Use localhost, 127.0.0.1 or [::1]. You can use other addresses ${ONCE_VERIFIED}`,
};

export type UrlRefusalOfProduct = keyof typeof URL_REFUSALS;

/** The form again, with the reason beside the URL. */
export function refuseUrl(typed: TargetInput, reason: UrlRefusalOfProduct): { draft: Draft } {
  return { draft: { ...typed, problems: { url: URL_REFUSALS[reason] } } };
}

export function targetFields({ url, events, problems }: Draft): HtmlSafeString {
  return html`
    ${field({
      label: 'URL',
      name: 'url',
      value: url,
      hint: 'We send signed POST requests to this URL, such as https://example.com/webhooks.',
      problem: problems.url,
    })}
    <fieldset ${problems.events ? html`aria-describedby="events-problem"` : ''}>
      <legend>Events</legend>
      ${SUBSCRIBABLE.map((kind) => {
        const isChosen = events.includes(kind.name);
        return html`<label>
          <input
            type="checkbox"
            name="events"
            value="${kind.name}"
            ${isChosen ? html`checked` : ''}
          />
          <code>${kind.name}</code><br /><small class="muted"
            >${kind.when.replaceAll('`', '')}</small
          >
        </label>`;
      })}
      ${
        problems.events
          ? html`<small id="events-problem" role="alert">${problems.events}</small>`
          : ''
      }
    </fieldset>
  `;
}
