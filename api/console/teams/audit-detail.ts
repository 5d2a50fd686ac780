// What an entry of the audit trail says beside its action: amounts as money, people by their handles.
import type { AuditLine } from '../../../domain/audit/audit.repository.ts';
import { formatMoney, isCurrencyCode } from '../../../domain/shared/money.ts';
import { sentenceCase } from '../../html/sentence-case.ts';

export type AuditFact = { name: string; text: string };

type Entry = Pick<AuditLine, 'detail' | 'detailPerson' | 'subject'>;

/** The change first, then the facts by their names in words. */
export function describeDetail(entry: Entry): AuditFact[] {
  const { from, to, currency, ...others } = entry.detail;
  const change = describeChange(from, to);
  const facts = Object.entries(others).map(([key, value]) => describeFact(entry, key, value));
  const hasAmount = Object.keys(others).some((key) => AMOUNT.test(key));
  const named =
    currency === undefined || hasAmount ? [] : [{ name: 'Currency', text: describe(currency) }];
  return [...change, ...facts, ...named];
}

function describeChange(from: unknown, to: unknown): AuditFact[] {
  if (to !== undefined)
    return [{ name: 'Change', text: `${describe(from)} \u2192 ${describe(to)}` }];
  return from === undefined ? [] : [{ name: 'Before', text: describe(from) }];
}

const AMOUNT = /_?minor$/i;

function describeFact({ detail, detailPerson, subject }: Entry, key: string, value: unknown) {
  if (key === 'personId') return { name: 'Person', text: detailPerson?.handle ?? describe(value) };
  if (!AMOUNT.test(key)) return { name: toWords(key), text: describe(value) };
  const name = toWords(key.replace(AMOUNT, ''));
  const currency = String(detail['currency'] ?? subject);
  const isMoney = typeof value === 'number' && isCurrencyCode(currency);
  return { name, text: isMoney ? formatMoney(value, currency) : describe(value) };
}

/** A key of either spelling: `windowDays` and `window_days` are `Window days`. */
function toWords(key: string): string {
  return sentenceCase(key.replaceAll(/([A-Z])/g, (letter) => `_${letter.toLowerCase()}`));
}

function describe(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return Array.isArray(value) ? value.map(describe).join(', ') : String(value);
}
