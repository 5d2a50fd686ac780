import { z } from 'zod';
import { publicIdPattern } from '../../../domain/platform/ids.ts';

/** The last receipt of the page before; what is none begins at the first. */
export const receiptBefore = z.string().regex(publicIdPattern('ch_')).optional().catch(undefined);
