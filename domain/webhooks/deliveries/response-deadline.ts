/** The time that a receiver has to respond, from the look-up of its name to the last byte. */
export const RESPONSE_DEADLINE_MS = 10_000;
