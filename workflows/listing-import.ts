import { setHandler } from '@temporalio/workflow';
import type { ImportReport } from '../activities/import.activities.ts';
import { imports, records } from './activities.ts';
import { statusQuery, type ImportInput } from './contracts.ts';
import { continueWhenLong, receiveSignals, summarize, type PendingSignals } from './signals.ts';
import { inWords, updateVisibility } from './visibility.ts';

/**
 * One import of a listing: it fetches, as soon as the forge allows it, and ends with what was found.
 * A person who takes of that starts it again, for the pictures. The row says how far it is.
 */
export async function listingImport(input: ImportInput, pending?: PendingSignals) {
  const signals = receiveSignals(pending);
  let status = 'reading';
  setHandler(statusQuery, () => status);
  for (;;) {
    const options = { summary: summarize(signals.drain()) };
    const row = await records.readImport.executeWithOptions(options, [input]);
    status = row.status;
    const details = show(row);
    await continueWhenLong(input, signals);
    if (row.remainingMs > 0) await signals.wait(row.remainingMs, details);
    else if (FETCHED.includes(status)) await imports.fetchImport(input);
    else if (row.place !== null) await imports.takePicture({ ...input, place: row.place });
    else if (!signals.hasPending()) return status;
  }
}

/** A fetch whose worker was lost is made again. */
const FETCHED = ['queued', 'fetching', 'waiting'];

function show({ status, productId, remainingMs }: ImportReport): string {
  const dueAt = remainingMs > 0 ? new Date(Date.now() + remainingMs).toISOString() : null;
  const details = dueAt === null ? status : `${status} for ${inWords(remainingMs)}`;
  updateVisibility({ status, dueAt, details, ...(productId !== null && { productId }) });
  return details;
}
