import { rows, type EntityManager } from '../../platform/database/database.ts';

export type PlatformFee = { basisPoints: number; since: Date; setBy: string | null };

/** The platform's current cut in basis points. */
export async function readPlatformFee(em: EntityManager): Promise<number> {
  const [fee] = await rows<{ basisPoints: number }>(
    em,
    'select basis_points as "basisPoints" from platform_fee order by id desc limit 1',
  );
  return fee!.basisPoints;
}

/**
 * The cut at the moment of the checkout. So the booked cut equals the cut that the processor was
 * given, whatever was set in between.
 */
export async function readFeeOfPurchase(em: EntityManager, purchaseId: string): Promise<number> {
  const [fee] = await rows<{ basisPoints: number }>(
    em,
    `select c.fee_basis_points as "basisPoints"
     from purchase p join checkout c on c.id = p.checkout_id where p.id = ?`,
    [purchaseId],
  );
  if (!fee) throw new Error(`there is no purchase ${purchaseId}`);
  return fee.basisPoints;
}

/** Returns the cut before, or null when nothing changes. Calls run one at a time. */
export async function setPlatformFee(
  em: EntityManager,
  { basisPoints, byId }: { basisPoints: number; byId: string },
): Promise<{ before: number } | null> {
  await rows(em, 'lock table platform_fee in share row exclusive mode');
  const before = await readPlatformFee(em);
  if (before === basisPoints) return null;
  await rows(em, 'insert into platform_fee (basis_points, set_by) values (?, ?)', [
    basisPoints,
    byId,
  ]);
  return { before };
}

const MOST_SHOWN = 50;

/** All cuts, the newest first. */
export async function listPlatformFees(em: EntityManager): Promise<PlatformFee[]> {
  const found = await rows<PlatformFee>(
    em,
    `select f.basis_points as "basisPoints", f.since, p.handle as "setBy"
     from platform_fee f left join person p on p.id = f.set_by order by f.id desc limit ?`,
    [MOST_SHOWN],
  );
  return found.map((fee) => ({ ...fee, since: new Date(fee.since) }));
}
