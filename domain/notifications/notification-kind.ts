/** A closed list; the page of notifications has a text for each kind. */
export type NotificationKind = 'endpoint_failing' | 'endpoint_disabled';
