/** The one event that nobody subscribes to. */
export const TEST_EVENT = 'webhook.test';
