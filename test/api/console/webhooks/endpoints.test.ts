// Parts of one subject: another file costs a second of a core.
import './secret.ts';
import './send-test.ts';
import './registering.ts';
import './unverified.ts';
