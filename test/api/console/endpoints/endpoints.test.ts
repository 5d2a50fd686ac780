// Parts of one subject, over one application: another start of it costs a second of a core.
import './secret.ts';
import './send-test.ts';
import './registering.ts';
