// The rows of a statement: its products under their own ids, each with its owner.
import type { EntityManager } from '../../../platform/database/database.ts';
import { asJson } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { Encryptor } from '../../shared/secrets.ts';
import type { BandRow } from '../payout-lines/pool-line.entity.ts';
import { openPoolKey } from '../period/period-key.ts';
import type { Band } from '../statement/bands.ts';
import type { CorrectionLine, Statement } from '../statement/pool-statement.ts';
import { listCorrectedTerms } from './snapshot-rows.repository.ts';

type Owner = { personId: string | null; teamId: string | null };

export type NewLine = Owner & {
  periodId: string;
  currency: string;
  productId: string;
  month: string;
  amountMinor: number;
  members: number;
  qualifiedDays: number;
  bands: BandRow[];
};

type LinesInput = {
  period: { id: string; currency: string; month: string; encryptedKey: string | null };
  statement: Statement;
  encryptor: Encryptor;
};

export async function toLines(em: EntityManager, given: LinesInput): Promise<NewLine[]> {
  const { id: periodId, currency, month, encryptedKey } = given.period;
  if (encryptedKey === null) throw new Error(`the key of ${periodId} is erased`);
  const { encryptor, statement } = given;
  const products = await listProducts(em);
  const shared = { periodId, currency };
  const idOf = indexBy(openPoolKey(encryptor, { id: periodId, encryptedKey }).ofProduct, products);
  const lines = statement.products.map(({ bands, ...line }): NewLine => {
    const productId = idOf(line.product);
    const owner = products.get(productId)!;
    return { ...shared, month, productId, ...owner, ...amountsOf(line), bands: bands.map(toRow) };
  });
  for (const corrected of await listCorrectedTerms(em, periodId)) {
    const found = statement.corrections.find(
      ({ terms }) => terms.period === corrected.terms.period,
    );
    const correctedIdOf = indexBy(openPoolKey(encryptor, corrected).ofProduct, products);
    const owners = await readOwners(em, corrected.id);
    for (const line of found?.lines ?? []) {
      const productId = correctedIdOf(line.product);
      const owner = owners.get(productId) ?? products.get(productId)!;
      const of = { month: `${corrected.terms.period}-01`, productId, bands: [] };
      lines.push({ ...shared, ...of, ...owner, ...amountsOf(line) });
    }
  }
  return lines;
}

/** Finds the product that a key gives an id. */
function indexBy(
  pseudonymOf: (productId: string) => string,
  products: ReadonlyMap<string, Owner>,
): (pseudonym: string) => string {
  const ids = new Map([...products.keys()].map((id) => [pseudonymOf(id), id]));
  return (pseudonym) => {
    const id = ids.get(pseudonym);
    if (id === undefined) throw new Error(`no product has the id ${pseudonym} in the snapshot`);
    return id;
  };
}

function amountsOf({ amountMinor, members, qualifiedDays }: CorrectionLine) {
  return { amountMinor: Number(amountMinor), members, qualifiedDays };
}

function toRow({ potsMinor, amountMinor, ...band }: Band): BandRow {
  return { ...band, potsMinor: String(potsMinor), amountMinor: String(amountMinor) };
}

const PAGE = 5_000;

/** All that were ever Included, with their owners of today. */
async function listProducts(em: EntityManager): Promise<Map<string, Owner>> {
  const products = new Map<string, Owner>();
  let after: string | null = '0';
  while (after !== null) {
    const page = await listSpans(em, after);
    for (const { productId, personId, teamId } of page)
      products.set(productId, { personId, teamId });
    after = page.length < PAGE ? null : page.at(-1)!.id;
  }
  return products;
}

function listSpans(em: EntityManager, after: string) {
  return kysely(em)
    .selectFrom('includedSpan')
    .innerJoin('product', 'product.id', 'includedSpan.productId')
    .select(['includedSpan.id', 'includedSpan.productId'])
    .select(['product.ownerPersonId as personId', 'product.ownerTeamId as teamId'])
    .where('includedSpan.id', '>', after)
    .orderBy('includedSpan.id')
    .limit(PAGE)
    .execute();
}

/** Reads the owners of the products when the month was computed. */
async function readOwners(em: EntityManager, periodId: string): Promise<Map<string, Owner>> {
  const lines = await kysely(em)
    .selectFrom('poolLine')
    .innerJoin('poolPeriod', 'poolPeriod.id', 'poolLine.periodId')
    .select(['poolLine.productId', 'poolLine.personId', 'poolLine.teamId'])
    .where('poolLine.periodId', '=', periodId)
    .whereRef('poolLine.month', '=', 'poolPeriod.month')
    .execute();
  return new Map(lines.map(({ productId, ...owner }) => [productId, owner]));
}

const INSERTED_AT_ONCE = 500;

export async function insertLines(em: EntityManager, lines: readonly NewLine[]): Promise<void> {
  for (let start = 0; start < lines.length; start += INSERTED_AT_ONCE) {
    const some = lines.slice(start, start + INSERTED_AT_ONCE);
    await kysely(em)
      .insertInto('poolLine')
      .values(some.map(({ bands, ...line }) => ({ ...line, bands: asJson(bands) })))
      .execute();
  }
}
