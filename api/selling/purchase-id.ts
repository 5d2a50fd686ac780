export const PURCHASE_ID = /^pay_[0-9A-HJKMNP-TV-Z]{26}$/;
