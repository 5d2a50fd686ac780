import { randomText } from '../../domain/shared/ids.ts';

export const REQUEST_ID = 'x-request-id';

/** Always one of our own making: an incoming one is ignored. */
export function newRequestId(): string {
  return `req_${randomText(24)}`;
}
