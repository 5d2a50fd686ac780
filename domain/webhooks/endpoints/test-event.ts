/** The event without subscribers. */
export const TEST_EVENT = 'webhook.test';
