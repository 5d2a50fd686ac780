/** The name of the event without subscribers. */
export const TEST_EVENT = 'webhook.test';
