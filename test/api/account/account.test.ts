// Parts of one subject: another file costs a second of a core.
import './settings.ts';
import './sign-up.ts';
import './check-mail.ts';
import './sessions.ts';
import './delete-account.ts';
import './sign-in.ts';
import './picture.ts';
