export const MY_PURCHASES = '/settings/purchases';
