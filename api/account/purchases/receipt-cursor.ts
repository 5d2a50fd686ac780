import { publicIdPattern } from '../../../domain/shared/ids.ts';
import { matching } from '../fields.ts';

/** The last receipt of the page before; what is none begins at the first. */
export const receiptBefore = matching(publicIdPattern('ch_'), 30).optional().catch(undefined);
