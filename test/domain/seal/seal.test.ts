// Parts of one subject: another file costs a second of a core.
import './criteria.ts';
import './review-week.ts';
import './seal-state.ts';
import './wilson.ts';
