import type { Category } from '../../domain/catalog/listing-words.ts';
import type { ProductView } from '../../domain/catalog/product.repository.ts';
import type { OfferedPrice } from '../../domain/catalog/storefront-product.query.ts';
import { writeAmount } from '../../domain/shared/money.ts';

type ProductFacts = {
  product: ProductView;
  prices: readonly OfferedPrice[];
  category: Category | null;
  /** Absolute. */
  url: string;
  image: string | null;
  isForSale: boolean;
};

const CATEGORIES: Partial<Record<Category, string>> = {
  business: 'BusinessApplication',
  communication: 'CommunicationApplication',
  design: 'DesignApplication',
  'developer-tools': 'DeveloperApplication',
  education: 'EducationalApplication',
  finance: 'FinanceApplication',
  games: 'GameApplication',
  health: 'HealthApplication',
  media: 'MultimediaApplication',
  security: 'SecurityApplication',
  utilities: 'UtilitiesApplication',
};

/** Describes a product and its prices for search engines, in the words of schema.org. */
export function describeProduct(facts: ProductFacts): Record<string, unknown> {
  const { product, prices, category, url, image, isForSale } = facts;
  const availability = `https://schema.org/${isForSale ? 'InStock' : 'OutOfStock'}`;
  return {
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    name: product.name,
    description: product.tagline,
    url,
    ...(image === null ? {} : { image }),
    ...(category === null ? {} : { applicationCategory: CATEGORIES[category] ?? category }),
    offers: prices.map(({ amountMinor, currency }) => ({
      '@type': 'Offer',
      price: writeAmount(amountMinor, currency),
      priceCurrency: currency,
      availability,
      url,
      seller: { '@type': 'Organization', name: product.sellerName },
    })),
  };
}
