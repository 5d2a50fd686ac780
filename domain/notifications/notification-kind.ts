/** A closed list: a kind that is added has its words on the page of notifications. */
export type NotificationKind = 'endpoint_failing' | 'endpoint_disabled';
