// Parts of one subject: another file costs a second of a core.
import './checkout/attribution.ts';
import './checkout/sale-checklist.ts';
import './checkout/sale-requirements.ts';
import './disputes/dispute-status.ts';
import './ledger/booking.ts';
import './ledger/seller-statement.ts';
import './memberships/membership-move.ts';
import './memberships/membership-state.ts';
import './purchases/purchase-status.ts';
import './recurring/failed-attempts.ts';
import './recurring/next-check.ts';
import './recurring/next-state.ts';
import './recurring/reported-state.ts';
import './recurring/subscription-rules.ts';
import './refunds/refund-status.ts';
import './reports/metrics.ts';
import './reports/renewals-ahead.ts';
