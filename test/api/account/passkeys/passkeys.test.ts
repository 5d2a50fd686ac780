// Parts of one subject, over one application: another start of it costs a second of a core.
import './settings-and-sign-in.ts';
import './sign-up.ts';
