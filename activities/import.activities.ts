import { now } from '../platform/database/database.ts';
import { makeImages } from '../platform/images.ts';
import { readPage } from '../clients/pages/read-page.ts';
import { parseRepositoryAddress } from '../clients/repositories/repository-address.ts';
import type { RepositoryReading } from '../clients/repositories/repositories.ts';
import {
  beginFetch,
  endFetch,
  recordPicture,
  type FetchedPicture,
  type FetchOutcome,
} from '../domain/catalog/imports/fetch-import.command.ts';
import {
  readPageFindings,
  readRepositoryFindings,
} from '../domain/catalog/imports/import-findings.ts';
import {
  findImport,
  type ListingImportView,
} from '../domain/catalog/imports/listing-import.repository.ts';
import {
  findNextPicture,
  type PictureProblem,
  type TakenPicture,
} from '../domain/catalog/imports/taken-pictures.ts';
import { countUpload } from '../domain/catalog/pictures/count-upload.command.ts';
import { PICTURE_SIZES } from '../domain/catalog/pictures/picture.ts';
import { isRefusal, refuse, type Refusal } from '../domain/shared/refusal.ts';
import type { Services } from './services.ts';

type ImportId = { importId: string };

/** How an import stands: the workflow waits or makes the next step by it. */
export type ImportReport = {
  /** `missing` where the product was removed. */
  status: ListingImportView['state'] | 'missing';
  productId: string | null;
  /** The time that a waiting import waits still. */
  remainingMs: number;
  /** The place of the next picture to fetch; null when there is none. */
  place: number | null;
};

const LIMIT_BYTES = 614_400;
const AGENT = { 'user-agent': 'Gatehouse' };
const PAGE = {
  headers: { ...AGENT, accept: 'text/html, application/xhtml+xml' },
  types: ['text/html', 'application/xhtml+xml'],
  limitBytes: LIMIT_BYTES,
  isHttpAllowed: true,
};
const PICTURE = {
  headers: { ...AGENT, accept: 'image/webp, image/png, image/jpeg' },
  types: ['image/png', 'image/jpeg', 'image/webp'],
  limitBytes: LIMIT_BYTES,
  isHttpAllowed: true,
};

type Parts = Pick<Services, 'database' | 'http' | 'repositories' | 'baseUrl' | 'logger'>;

export function createImportActivities(services: Parts) {
  const { database } = services;

  async function readImport({ importId }: ImportId): Promise<ImportReport> {
    const em = database.em();
    const row = await findImport(em, importId);
    if (row === null) return { status: 'missing', productId: null, remainingMs: 0, place: null };
    const { state: status, productId, waitUntil, pictures } = row;
    const remainingMs = waitUntil === null ? 0 : waitUntil.getTime() - (await now(em)).getTime();
    const place = status === 'applying' ? findNextPicture(pictures ?? []) : null;
    return { status, productId, remainingMs: Math.max(0, remainingMs), place };
  }

  return {
    readImport,

    /** Fetches what an import is about, once it is due, and records what was found. */
    async fetchImport({ importId }: ImportId): Promise<void> {
      const row = await findImport(database.em(), importId);
      if (row === null) return;
      const ended = await (row.kind === 'page'
        ? fetchPage(services, importId)
        : fetchRepository(services, row));
      if (ended !== null) await endFetch(database.em(), ended);
    },

    /** Fetches the picture at a place, adds it, and records what became of it. */
    async takePicture({ importId, place }: ImportId & { place: number }): Promise<void> {
      const row = await findImport(database.em(), importId);
      const picture = row?.pictures?.[place];
      if (!row?.appliedBy || row.state !== 'applying' || picture?.outcome !== null) return;
      const { productId, appliedBy: personId } = row;
      const counted = await countUpload(database.pool, { productId, personId });
      const fetched = isRefusal(counted)
        ? refuseToday(picture)
        : await fetchPicture(services, { picture, caller: productId });
      await recordPicture(database.em(), { importId, place, fetched });
    },
  };
}

type Ended = Parameters<typeof endFetch>[1];

async function fetchPage(
  { database, http, baseUrl, logger }: Parts,
  importId: string,
): Promise<Ended | null> {
  const begun = await beginFetch(database.em(), { importId, host: null });
  if (isRefusal(begun)) return null;
  const { row } = begun;
  const response = await http.get(row.address, PAGE);
  const settlement = null;
  if (isRefusal(response)) return { row, outcome: toRefused(response), settlement };
  const { statusCode, body: bytes, headers, address, isCut } = response;
  const unread = refuseStatus(statusCode);
  if (unread !== null) return { row, outcome: toRefused(unread), settlement };
  try {
    const contentType = headers['content-type'] ?? '';
    const page = await readPage({ bytes, contentType, address, isCut });
    const outcome: FetchOutcome = isRefusal(page)
      ? toRefused(page)
      : { to: 'ready', findings: readPageFindings(page, baseUrl) };
    return { row, outcome, settlement };
  } catch (error) {
    // A page that breaks its reader would be fetched again and again.
    logger.error({ err: error, importId }, 'a page could not be read');
    return { row, outcome: toRefused(refuse('unreadable_body')), settlement };
  }
}

async function fetchRepository(
  { database, repositories, baseUrl }: Parts,
  { id: importId, address }: ListingImportView,
): Promise<Ended | null> {
  const repository = parseRepositoryAddress(address);
  const host = repository === null ? null : repositories.hostOf(repository);
  const begun = await beginFetch(database.em(), { importId, host });
  if (isRefusal(begun)) return null;
  const { row, resetsAt } = begun;
  if (repository === null || host === null || resetsAt === null) {
    return { row, outcome: toRefused(refuse('address_refused')), settlement: null };
  }
  const reading = await repositories.read(repository, {
    now: await now(database.em()),
    attempt: row.waits,
  });
  const { requests, limit } = reading;
  const outcome = toOutcome(reading, { address, platformUrl: baseUrl });
  return { row, outcome, settlement: { host, resetsAt, requests, limit } };
}

function toOutcome(
  reading: RepositoryReading,
  known: { address: string; platformUrl: string },
): FetchOutcome {
  if (reading.outcome === 'limited') return { to: 'waiting', until: reading.until };
  if (reading.outcome === 'refused') return toRefused(reading);
  return { to: 'ready', findings: readRepositoryFindings(reading.found, known) };
}

const toRefused = <Reason extends (FetchOutcome & { to: 'refused' })['refusal']>({
  refused,
}: Refusal<Reason>) => ({ to: 'refused' as const, refusal: refused });

/** A page that is hidden from visitors reads like one that does not exist. */
function refuseStatus(statusCode: number): Refusal<'not_found' | 'unreachable'> | null {
  if (statusCode >= 200 && statusCode <= 299) return null;
  return refuse(statusCode >= 400 && statusCode <= 499 ? 'not_found' : 'unreachable');
}

const refuseToday = ({ addresses: [address] }: TakenPicture): FetchedPicture => ({
  failed: address === undefined ? [] : [{ address, problem: 'too_many_today' }],
  upload: null,
});

type Wanted = { picture: TakenPicture; caller: string };

/** Tries the addresses of a picture in turn, until one makes a picture. */
async function fetchPicture(
  { http }: Pick<Parts, 'http'>,
  { picture: { kind, addresses }, caller }: Wanted,
): Promise<FetchedPicture> {
  const failed: FetchedPicture['failed'] = [];
  for (const address of addresses) {
    const made = await fetchAndMake(http, { address, kind, caller });
    if (!isRefusal(made)) return { failed, upload: { address, ...made } };
    failed.push({ address, problem: made.refused });
  }
  return { failed, upload: null };
}

type PictureAddress = { address: string; kind: TakenPicture['kind']; caller: string };

async function fetchAndMake(
  http: Parts['http'],
  { address, kind, caller }: PictureAddress,
): Promise<{ bytes: Buffer; made: Buffer[] } | Refusal<PictureProblem>> {
  const bytes = await fetchBytes(http, address);
  if (isRefusal(bytes)) return bytes;
  const made = await makeImages(bytes, PICTURE_SIZES[kind], { caller });
  return 'refused' in made ? made : { bytes, made };
}

async function fetchBytes(
  http: Parts['http'],
  address: string,
): Promise<Buffer | Refusal<PictureProblem>> {
  const response = await http.get(address, PICTURE);
  if (isRefusal(response)) return response;
  const { statusCode, body, isCut } = response;
  return refuseStatus(statusCode) ?? (isCut ? refuse('too_large') : body);
}
