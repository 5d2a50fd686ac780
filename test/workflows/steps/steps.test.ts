// Parts of one subject: another file costs a second of a core.
import './batches.ts';
import './billing.ts';
import './contracts.ts';
import './entitlement-lifecycle.ts';
import './pool-payout.ts';
import './pool-period.ts';
import './retries.ts';
import './webhook-delivery.ts';
