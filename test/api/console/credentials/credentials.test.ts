// Parts of one subject: another file costs a second of a core.
import './secrets-and-rights.ts';
import './keys.ts';
import './clients.ts';
import './client-uris.ts';
