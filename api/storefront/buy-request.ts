// The parameters of a buy link, and their way through a sign-in.
import { z } from 'zod';
import { LONGEST_RETURN_ADDRESS } from '../../domain/catalog/product-address.ts';
import type { PriceView, ProductView } from '../../domain/catalog/product.repository.ts';
import type { OfferedPrice } from '../../domain/catalog/storefront-product.query.ts';
import { truncateSource } from '../../domain/billing/checkout/attribution.ts';
import { LONGEST_RETURN_TO } from '../../domain/identity/after-sign-in.query.ts';
import { parseUuid } from '../../domain/shared/ids.ts';
import { isCurrencyCode } from '../../domain/shared/money.ts';
import type { SaleFacts } from '../../domain/billing/checkout/sale-requirements.ts';
import type { RequestedCurrency } from '../../domain/billing/checkout/price-in-currency.ts';
import { given } from '../http/fields.ts';

const once = (longest: number) => z.union([given(longest), z.array(given(longest))]).optional();

export const buyQuery = z.object({
  src: once(512).meta({ description: 'Where the link is placed. We turn it into a campaign slug' }),
  currency: once(3).meta({ description: 'An ISO 4217 code; without it, the base price' }),
  offer: once(36).meta({
    description: 'The id of an offer other than the default offer',
  }),
  return_to: once(LONGEST_RETURN_ADDRESS).meta({
    description:
      "Where the buyer goes after the purchase: an address within the product's registered origins. It gets `purchase_id`. Any other address is ignored",
    examples: ['https://example.com/welcome'],
  }),
  resume: once(100).meta({ description: 'Added when the buyer returns from sign-in' }),
});

export type BuyQuery = z.infer<typeof buyQuery>;

/** The first one, as far as it is kept. Text columns hold no NUL. */
export function askedSource({ src }: BuyQuery): string | null {
  const given = [src].flat()[0];
  return given === undefined ? null : truncateSource(given.replaceAll('\0', ''));
}

/** A repeated one is none. */
export function askedReturnTo({ return_to }: BuyQuery): string | null {
  return typeof return_to === 'string' && return_to !== '' ? return_to : null;
}

/** Case-insensitive; an empty value is absent; a repeated one is no currency. */
export function askedCurrency({ currency }: BuyQuery): RequestedCurrency {
  if (currency === undefined || currency === '') {
    return { currency: null, isKnown: false };
  }
  const isCode = typeof currency === 'string' && /^[a-z]{3}$/i.test(currency);
  const code = isCode ? currency.toUpperCase() : '';
  return { currency: code, isKnown: isCode && isCurrencyCode(code) };
}

export function saleFacts(product: ProductView, prices: PriceView[]): SaleFacts {
  return { ...product, hasActivePrice: prices.length > 0 };
}

/** The prices of the default offer, or of the one that was asked for; none where there is no such offer. */
export function pricesOfOffer(
  prices: readonly OfferedPrice[],
  { offer }: Pick<BuyQuery, 'offer'>,
): OfferedPrice[] {
  if (offer === undefined || offer === '') return prices.filter((price) => price.isDefaultOffer);
  const offerId = typeof offer === 'string' ? parseUuid(offer) : null;
  return prices.filter((price) => price.offerId === offerId);
}

/**
 * The request's own URL without the parameters that sign-in added, short enough to be kept on the way
 * through it: `src`, which its click has recorded, is shortened, then `return_to` is left out. What is
 * bought and for how much stays.
 */
export function returnPath(ref: string, query: BuyQuery): string {
  const { currency, offer } = query;
  const src = askedSource(query);
  const returnTo = askedReturnTo(query);
  const write = (source: string | null, return_to: string | null) =>
    writePath(ref, { src: source, currency, offer, return_to });
  const whole = write(src, returnTo);
  if (whole.length <= LONGEST_RETURN_TO) return whole;
  const kept = write('', returnTo).length <= LONGEST_RETURN_TO ? returnTo : null;
  return write(shorten(src ?? '', LONGEST_RETURN_TO - write('', kept).length), kept);
}

function writePath(
  ref: string,
  parameters: Record<string, string | string[] | null | undefined>,
): string {
  const query = new URLSearchParams();
  for (const [name, given] of Object.entries(parameters)) {
    for (const value of [given ?? []].flat()) query.append(name, value);
  }
  return query.size === 0 ? `/buy/${ref}` : `/buy/${ref}?${query}`;
}

/** The start of a text that takes no more than so many characters of a URL. */
function shorten(text: string, longest: number): string {
  let room = longest;
  let start = '';
  for (const character of text) {
    room -= new URLSearchParams([['', character]]).toString().length - 1;
    if (room < 0) break;
    start += character;
  }
  return start;
}
