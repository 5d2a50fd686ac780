/** The limit of a key, for all limiters alike: high, as refusals are not what is measured. */
export const LIMIT_PER_MINUTE = 1_000_000;
