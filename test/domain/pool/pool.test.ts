// Parts of one subject: another file costs a second of a core.
import './bands.ts';
import './compute-month.ts';
import './counting-days.ts';
import './damaged-snapshot.ts';
import './line-state.ts';
import './member-fee.ts';
import './month-close/decide-correction.ts';
import './net-fee.ts';
import './owner-settlement.ts';
import './payouts/transfer-schedule.ts';
import './period/period-calendar.ts';
import './pool-rule.ts';
import './review-rules.ts';
import './snapshot.ts';
