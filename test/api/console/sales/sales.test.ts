// Parts of one subject, over one application: another start of it costs a second of a core.
import './grants.ts';
import './purchases.ts';
import './statements.ts';
import './subscribers.ts';
