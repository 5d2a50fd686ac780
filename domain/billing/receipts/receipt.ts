/** Prices are final: nothing is added. */
export const TAX_SENTENCE = 'The price includes all taxes; nothing was added to it.';
