// Parts of one subject, over one application: another start of it costs a second of a core.
import './entitlements.ts';
import './checks.ts';
import './evidence.ts';
import './usage.ts';
