// Parts of one subject: another file costs a second of a core.
import './documentation.ts';
import './permissions.ts';
