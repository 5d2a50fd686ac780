// Parts of one subject: another file costs a second of a core.
import './list.ts';
import './delivery.ts';
import './manual-retry.ts';
