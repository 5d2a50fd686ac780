/** A closed list: a kind that is added has its words on the page of notifications. */
export const NOTIFICATION_KINDS = ['endpoint_failing', 'endpoint_disabled'] as const;

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];
