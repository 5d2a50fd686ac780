// The limits of attempts under way at once. They count leases, so they hold over all processes.

/** First attempts and retries of one endpoint; so many of them are for retries alone. */
export const ENDPOINT_LIMIT = 8;
export const KEPT_FOR_RETRIES = 2;

/** An endpoint that answers slowly gets less: it cannot hold what others need. */
export const SLOW_ENDPOINT_LIMIT = 2;
export const SLOW_KEPT_FOR_RETRIES = 1;

/**
 * The most open retries of an endpoint with workflows of their own; beyond them, deliveries whose
 * first attempts fail in the same minute share one workflow.
 */
export const MOST_OWN_WORKFLOWS = 200;

/** First attempts and retries of one owner of products, a team or a person. */
export const OWNER_LIMIT = 512;
/** The retries of one owner. */
export const OWNER_RETRY_LIMIT = 32;
