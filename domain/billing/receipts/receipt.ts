/** Prices are final. Of taxes only the seller can say something. */
export const PRICE_SENTENCE = 'Nothing was added to the price.';
