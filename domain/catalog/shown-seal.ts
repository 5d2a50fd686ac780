/** The states of a product's quality seal in which the store shows it. */
export const SHOWN_SEAL_STATES = ['held', 'noticed'] as const;
