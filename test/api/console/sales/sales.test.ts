// Parts of one subject: another file costs a second of a core.
import './grants.ts';
import './purchase-list.ts';
import './purchases.ts';
import './statements.ts';
import './subscribers.ts';
