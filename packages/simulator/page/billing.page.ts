import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PortalSessionRow, SubscriptionRow } from '../billing/billing-objects.ts';
import { cardForm, cardList, type CardForm, type Problem } from './card-form.ts';
import { RENEWAL_CARDS, TEST_CARDS } from './cards.ts';
import { layout, summary } from './pay.page.ts';

type CardPage = {
  portal: PortalSessionRow;
  subscription: SubscriptionRow;
  form: CardForm;
  problem: Problem | null;
};

export function cardPage({ portal, subscription, form, problem }: CardPage): HtmlSafeString {
  const path = `/billing/${portal.token}`;
  return layout(
    'Change the card',
    html`
      ${summary(subscription)}
      <p>Future payments use this card. Any unpaid amount is charged now.</p>
      ${cardForm({ path, form, problem, button: 'Use this card' })}
      <p><a href="${portal.return_url}">Go back without changes</a></p>
      ${cardList(path, [...TEST_CARDS, ...RENEWAL_CARDS])}
    `,
  );
}

/** The link is over, or the subscription is: there is nothing to change. */
export function overPage(portal: PortalSessionRow): HtmlSafeString {
  return layout(
    'Nothing to change',
    html`<h1>Nothing to change</h1>
      <p role="status">This link or the subscription has ended. Nothing was charged.</p>
      <p><a href="${portal.return_url}">Go back to the shop</a></p>`,
  );
}
