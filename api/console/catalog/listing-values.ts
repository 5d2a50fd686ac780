// The fields of a listing as its form sends them.
import type { ProductText } from '../../../domain/catalog/product-lifecycle.repository.ts';
import {
  validateAddress,
  type AddressProblem,
  type ProductAddresses,
} from '../../../domain/catalog/product-address.ts';
import {
  LONGEST_REFUND_TERMS,
  validateProductName,
  validateRefundTerms,
  validateTagline,
} from '../../../domain/catalog/product-fields.ts';
import { explain } from '../../account/field-problems.ts';

type Typed = Pick<ProductText, 'name' | 'tagline' | 'delivery'> & {
  website_url?: string | undefined;
  sign_in_url?: string | undefined;
  refund_terms?: string | undefined;
};

type Known = {
  product: ProductAddresses & Pick<ProductText, 'refundTerms'>;
  platformUrl: string;
};

/** A field that the form did not show stays. */
export function validateListing(typed: Typed, { product, platformUrl }: Known) {
  const { website_url = product.websiteUrl ?? '', sign_in_url = product.signInUrl ?? '' } = typed;
  const name = validateProductName(typed.name);
  const tagline = validateTagline(typed.tagline);
  const website = validateAddress(website_url, platformUrl);
  const signIn = validateAddress(sign_in_url, platformUrl);
  const terms = validateRefundTerms(typed.refund_terms ?? product.refundTerms ?? '');
  const values: ProductText = {
    name: name.value,
    tagline: tagline.value,
    delivery: typed.delivery,
    websiteUrl: website.value,
    signInUrl: signIn.value,
    refundTerms: terms.value,
  };
  const problems = {
    name: explain(name.problem),
    tagline: explain(tagline.problem),
    websiteUrl: website.problem && ADDRESS_SENTENCES[website.problem],
    signInUrl: signIn.problem && ADDRESS_SENTENCES[signIn.problem],
    refundTerms: terms.problem === 'too_long' ? TERMS_TOO_LONG : explain(terms.problem),
  };
  const isValid = Object.values(problems).every((problem) => problem === null);
  return { values, problems, isValid };
}

const TERMS_TOO_LONG = `Use at most ${LONGEST_REFUND_TERMS.toLocaleString('en')} characters.`;

const ADDRESS_SENTENCES: Record<AddressProblem, string> = {
  too_long: 'This is too long.',
  not_a_url: 'Enter a full address, such as https://example.com/app.',
  not_https: 'Use an address that starts with https://.',
  own_address: 'This is an address of Gatehouse. Enter an address of your product.',
};
