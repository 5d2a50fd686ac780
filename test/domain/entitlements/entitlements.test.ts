// Parts of one subject: another file costs a second of a core.
import './decide-entitlement-event.ts';
import './effective-access.ts';
