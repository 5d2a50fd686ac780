// Parts of one subject: another file costs a second of a core.
import './charges.ts';
import './checkout-state.ts';
import './event.ts';
import './processor.ts';
import './subscriptions.ts';
import './transfers.ts';
