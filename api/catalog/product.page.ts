import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PriceView, ProductView } from '../../domain/catalog/catalog.store.ts';
import { formatMoney } from '../../domain/platform/money.ts';
import { BUY_REASONS, type BuyReason } from '../../domain/selling/buyable.ts';
import type { View } from '../route.ts';

type Props = {
  product: ProductView;
  prices: PriceView[];
  /** Why nobody can buy it now. */
  obstacle: BuyReason | null;
  /** Why the buy link has led here. */
  reason: BuyReason | null;
};

export function productPage({ product, prices, obstacle, reason }: Props): View {
  return {
    title: product.name,
    content: html`
      <article>
        <hgroup>
          <h1>${product.name}</h1>
          <p>${product.tagline}</p>
        </hgroup>
        <p class="muted">by ${product.sellerName}</p>
        ${
          reason === null
            ? ''
            : html`<p class="notice" role="status" data-reason="${reason}">
                ${BUY_REASONS[reason]}
              </p>`
        }
        ${product.includedWithMember ? html`<p>Included with Member.</p>` : ''}
        ${obstacle === null ? offer(product, prices) : unavailable(obstacle, reason)}
      </article>
    `,
  };
}

function offer({ slug }: ProductView, prices: PriceView[]): HtmlSafeString {
  const [base, ...others] = prices.toSorted((a, b) => Number(b.isBase) - Number(a.isBase));
  if (!base) return html``;
  return html`
    <p class="price">${formatMoney(base.amountMinor, base.currency)}</p>
    <p><a role="button" href="/buy/${slug}?src=store" rel="nofollow">Buy</a></p>
    ${
      others.length === 0
        ? ''
        : html`<p>
            Also in
            ${others.map(
              ({ amountMinor, currency }, index) =>
                html`${index === 0 ? '' : ', '}<a
                    href="/buy/${slug}?src=store&amp;currency=${currency}"
                    rel="nofollow"
                    >${formatMoney(amountMinor, currency)}</a
                  >`,
            )}
          </p>`
    }
  `;
}

function unavailable(obstacle: BuyReason, reason: BuyReason | null): HtmlSafeString {
  return obstacle === reason ? html`` : html`<p class="notice">${BUY_REASONS[obstacle]}</p>`;
}
