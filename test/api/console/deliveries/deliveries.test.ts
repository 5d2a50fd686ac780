// Parts of one subject, over one application: another start of it costs a second of a core.
import './list.ts';
import './delivery.ts';
import './manual-retry.ts';
