import { z } from 'zod';
import { now } from '../../../platform/database/database.ts';
import { listFeeMonths, findMemberFee } from '../../../domain/pool/member/member-fee.repository.ts';
import { decideMonth } from '../../../domain/billing/ledger/seller-statement.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { HttpError } from '../../http/errors.ts';
import { page } from '../../http/response.ts';
import { defineRoute, SESSION_PAGE, type SessionContext } from '../../http/route.ts';
import { given } from '../../http/fields.ts';
import { MEMBER_FEES, memberFeesPage } from './member-fees.page.ts';

const showLatestFee = defineRoute({
  ...SESSION_PAGE,
  path: MEMBER_FEES,
  summary: 'Show where the fee of the last month went',
  input: {},
  handler: (context) => show(context, null),
});

const showFee = defineRoute({
  ...SESSION_PAGE,
  path: `${MEMBER_FEES}/:month`,
  summary: 'Show where the fee of a month went',
  input: { params: z.object({ month: given(7) }) },
  handler: (context) => show(context, context.params.month),
});

async function show(context: SessionContext, asked: string | null) {
  const { database, encryptor } = context.services;
  const { personId } = context.currentUser;
  const em = database.em();
  const at = await now(em);
  if (asked !== null && isRefusal(decideMonth(asked, at))) throw new HttpError('not_found');
  const months = await listFeeMonths(em, { personId, at });
  const month = asked ?? months.find(({ state }) => state === 'known')?.month ?? null;
  const fees = [];
  for (const { currency, state } of months.filter((each) => each.month === month)) {
    if (state === 'on_its_way' || state === 'erased') continue;
    const fee = await findMemberFee(em, { personId, month: month!, currency, encryptor });
    if (fee !== null) fees.push(fee);
  }
  return page(context, memberFeesPage({ month, fees, months, now: at }));
}

export const routes = [showLatestFee, showFee];
