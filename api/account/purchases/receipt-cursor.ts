import { publicIdPattern } from '../../../domain/shared/ids.ts';
import { matching } from '../../http/fields.ts';

/** The last receipt of the previous page. An invalid cursor means the first page. */
export const receiptBefore = matching(publicIdPattern('ch_'), 30).optional().catch(undefined);
