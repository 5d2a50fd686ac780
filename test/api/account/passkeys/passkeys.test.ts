// Parts of one subject: another file costs a second of a core.
import './settings-and-sign-in.ts';
import './sign-up.ts';
