// Parts of one subject: another file costs a second of a core.
import './entitlements.ts';
import './checks.ts';
import './evidence.ts';
import './usage.ts';
