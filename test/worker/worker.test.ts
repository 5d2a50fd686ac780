// Parts of one subject: another file costs a second of a core.
import './mail-at-once.ts';
import './mail-server-away.ts';
import './sdk-log.ts';
import './start-limit.ts';
import './workers.ts';
