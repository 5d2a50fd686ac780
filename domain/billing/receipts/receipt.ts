/** Prices are what the buyer pays in all. */
export const TAX_SENTENCE = 'The price includes all taxes; nothing was added to it.';
