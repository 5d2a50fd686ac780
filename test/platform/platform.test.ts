// Parts of one subject: another file costs a second of a core.
import './config.ts';
import './database/write-buffer.ts';
