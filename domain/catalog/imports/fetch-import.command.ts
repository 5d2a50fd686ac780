// What a workflow records of an import: that it fetches, and what came of it.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { isRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import { addPicture } from '../pictures/picture.command.ts';
import { lockProduct } from '../product-lifecycle.repository.ts';
import type { ImportFindings } from './import-findings.ts';
import { decideWait, type ImportRefusal } from './import-state.ts';
import {
  findImport,
  lockImport,
  moveImport,
  savePictureOutcomes,
  type ListingImportView,
} from './listing-import.repository.ts';
import { holdManagedProduct } from '../product.repository.ts';
import { findNextPicture, type TakenPicture } from './taken-pictures.ts';
import { reserveRequests, settleRequests } from './upstream-quota.repository.ts';

/** The window of the quota from which the requests were reserved; null where there is no quota. */
type BegunFetch = { row: ListingImportView; resetsAt: Date | null };

/**
 * Begins to fetch. Requests to a forge are reserved before they are made, so a lost worker leaves
 * them counted; where the forge allows no more, the import waits.
 */
export async function beginFetch(
  em: EntityManager,
  { importId, host }: { importId: string; host: string | null },
): Promise<BegunFetch | Refusal<'unchanged'>> {
  return inTransaction(em, async (em) => {
    if (!(await moveImport(em, importId, { to: 'fetching' }))) return refuse('unchanged');
    const row = await findImport(em, importId);
    if (row === null) return refuse('unchanged');
    if (host === null) return { row, resetsAt: null };
    const { isReserved, resetsAt } = await reserveRequests(em, host);
    if (isReserved) return { row, resetsAt };
    await moveImport(em, importId, decideWait({ createdAt: row.createdAt, until: resetsAt }));
    return refuse('unchanged');
  });
}

export type FetchOutcome =
  | { to: 'ready'; findings: ImportFindings }
  | { to: 'refused'; refusal: ImportRefusal }
  | { to: 'waiting'; until: Date };

type EndedFetch = {
  row: Pick<ListingImportView, 'id' | 'createdAt'>;
  outcome: FetchOutcome;
  /** The requests to a forge, and what it said of its limit. */
  settlement: Parameters<typeof settleRequests>[1] | null;
};

/** Records what a fetch brought; of two fetches of one import the first one counts. */
export async function endFetch(
  em: EntityManager,
  { row: { id, createdAt }, outcome, settlement }: EndedFetch,
): Promise<void> {
  await inTransaction(em, async (em) => {
    const { to } = outcome;
    const move = to === 'waiting' ? decideWait({ createdAt, until: outcome.until }) : outcome;
    await moveImport(em, id, move);
    if (settlement !== null) await settleRequests(em, settlement);
  });
}

/** What the addresses of a taken picture brought. */
export type FetchedPicture = {
  failed: TakenPicture['failed'];
  upload: (Parameters<typeof addPicture>[1]['upload'] & { address: string }) | null;
};

/**
 * Adds a fetched picture and records what became of it, once: a worker that fetched it twice adds it
 * once. The import ends with its last picture.
 */
export async function recordPicture(
  em: EntityManager,
  { importId, place, fetched }: { importId: string; place: number; fetched: FetchedPicture },
): Promise<{ recorded: boolean }> {
  return inTransaction(em, async (em) => {
    const by = await findTaker(em, importId);
    if (by === null) return { recorded: false };
    // Everybody who edits a product holds first the rights and then the product.
    await holdManagedProduct(em, { manager: by, productId: by.productId });
    if (!(await lockProduct(em, by.productId))) return { recorded: false };
    const row = await lockImport(em, importId);
    const pictures = row?.pictures ?? [];
    if (row?.state !== 'applying' || findNextPicture(pictures) !== place)
      return { recorded: false };
    const picture = await addFetched(em, { row, by, picture: pictures[place]!, fetched });
    const outcomes = pictures.with(place, picture);
    await savePictureOutcomes(em, importId, outcomes);
    if (findNextPicture(outcomes) === null) await moveImport(em, importId, { to: 'applied' });
    return { recorded: true };
  });
}

/** Who took what an import found. */
type Taker = { productId: string; personId: string; ip: null; isOperator: boolean };

async function findTaker(em: EntityManager, importId: string): Promise<Taker | null> {
  const found = await findImport(em, importId);
  if (!found?.appliedBy) return null;
  const { productId, appliedBy: personId, isAppliedByOperator: isOperator } = found;
  return { productId, personId, ip: null, isOperator };
}

type Fetched = {
  row: ListingImportView;
  by: Taker;
  picture: TakenPicture;
  fetched: FetchedPicture;
};

async function addFetched(
  em: EntityManager,
  { row, by, picture, fetched: { upload, failed } }: Fetched,
): Promise<TakenPicture> {
  if (upload === null) return { ...picture, outcome: 'failed', failed };
  const { kind } = picture;
  const added = await addPicture(em, {
    productId: by.productId,
    by,
    picture: kind === 'icon' ? { kind } : { kind, alt: describe(row, upload.address) },
    upload,
  });
  if (!isRefusal(added)) return { ...picture, outcome: 'added', failed };
  // The rights are judged again: a picture that nobody may add is no reason to try without end.
  const { refused } = added;
  const isKnown = refused === 'too_many' || refused === 'taken_down';
  const problem = isKnown ? refused : ('not_allowed' as const);
  const { address } = upload;
  return { ...picture, outcome: 'failed', failed: [...failed, { address, problem }] };
}

/** What a screenshot shows is not known: its text says where it is from, until somebody writes it. */
function describe({ address }: ListingImportView, picture: string): string {
  const place = new URL(address).hostname;
  const name = new URL(picture).pathname.split('/').at(-1) ?? '';
  return `Screenshot from ${place}: ${name}`.slice(0, 120);
}
