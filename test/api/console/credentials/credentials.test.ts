// Parts of one subject, over one application: another start of it costs a second of a core.
import './secrets-and-rights.ts';
import './keys.ts';
import './clients.ts';
import './client-uris.ts';
