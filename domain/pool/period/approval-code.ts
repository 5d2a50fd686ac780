// Temporal does not say who sends an Update. So the console signs a code for an operator, and the
// Update `approve` takes nothing else.
import { MINUTE_MS } from '../../shared/instant.ts';

const LIFETIME_MS = 5 * MINUTE_MS;

export type ApprovalCode = {
  /** The operator in whose name it approves. */
  personId: string;
  /** What products get of the month: the code approves this sum alone. */
  productsMinor: number;
  expiresAtMs: number;
};

const CODE = /^([0-9a-f-]{36})\.(\d{1,16})\.(\d{13})\.([\w-]{43})$/;

export function makeApprovalCode(
  month: { periodId: string; personId: string; productsMinor: number; nowMs: number },
  sign: (text: string) => string,
): { code: string; expiresAtMs: number } {
  const { periodId, personId, productsMinor, nowMs } = month;
  const expiresAtMs = nowMs + LIFETIME_MS;
  const signature = sign(signedText(periodId, { personId, productsMinor, expiresAtMs }));
  return { code: `${personId}.${productsMinor}.${expiresAtMs}.${signature}`, expiresAtMs };
}

/**
 * Returns null for a text of another form. Only the signature tells whether the console made the
 * code.
 */
export function readApprovalCode(text: string): (ApprovalCode & { signature: string }) | null {
  const [, personId, products, expires, signature] = CODE.exec(text) ?? [];
  if (!personId || !signature) return null;
  return { personId, productsMinor: Number(products), expiresAtMs: Number(expires), signature };
}

/** What the signature is over. */
export function signedText(periodId: string, code: ApprovalCode): string {
  return [periodId, code.personId, code.productsMinor, code.expiresAtMs].join('\n');
}
